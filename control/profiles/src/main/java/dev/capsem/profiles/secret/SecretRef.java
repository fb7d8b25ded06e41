package dev.capsem.profiles.secret;

/// Says where a secret is, without knowing it.
public sealed interface SecretRef {
    /// The reference as profiles and replies spell it.
    String text();

    /// In the store that `capsem secret set` fills.
    record Stored(SecretName name) implements SecretRef {
        @Override
        public String text() {
            return "${secret:" + name + "}";
        }
    }

    /// A value in another program's settings on this host. It stays there, so it is always the newest one.
    ///
    /// @param tool which settings, as `HostTool` names them
    /// @param pointer the value's place in them (RFC 6901)
    record OfHostTool(String tool, String pointer) implements SecretRef {
        @Override
        public String text() {
            return "${host:" + tool + ":" + pointer.replace("%", "%25").replace("}", "%7D") + "}";
        }

        static OfHostTool parse(String tool, String spelled) {
            return new OfHostTool(tool, spelled.replace("%7D", "}").replace("%25", "%"));
        }
    }
}
