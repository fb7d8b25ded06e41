package dev.capsem.policy.ir;

import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.grammar.EnvAction;
import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.grammar.IpcEndpoint;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.source.json.JsonValue;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/// One entry of a policy. Targets switch over it, so a new kind of entry breaks the build of every target.
public sealed interface Element {
    Kind kind();

    /// The capability string that grants exactly this.
    String print();

    JsonValue toJson();

    /// A tree (or file) and what may be done in it. Actions are closed and in canonical order.
    record FsRoot(FsPath path, List<FsAction> actions) implements Element {
        public FsRoot {
            actions = List.copyOf(actions);
        }

        public static FsRoot of(FsPath path, Collection<FsAction> actions) {
            Set<FsAction> closed = FsAction.closure(EnumSet.copyOf(actions));
            return new FsRoot(path, List.copyOf(closed));
        }

        public boolean isWritable() {
            return actions.stream().anyMatch(action -> action != FsAction.READ);
        }

        @Override
        public Kind kind() {
            return Kind.FS;
        }

        @Override
        public String print() {
            return "fs:" + words() + ":" + quoted(path.text());
        }

        private String words() {
            return actions.stream().map(FsAction::word).collect(Collectors.joining(","));
        }

        @Override
        public JsonValue toJson() {
            return JsonValue.members()
                    .put("path", path.text())
                    .put("actions", actions.stream().map(FsAction::word).toList())
                    .put("isGlob", path.isGlob())
                    .build();
        }
    }

    /// A peer the server may connect to. No port means every port.
    record NetRule(Host host, OptionalInt port, boolean blockPrivate) implements Element {
        @Override
        public Kind kind() {
            return Kind.NET;
        }

        @Override
        public String print() {
            return "net:connect:" + quoted(host.text()) + (port.isPresent() ? ":" + port.getAsInt() : "");
        }

        @Override
        public JsonValue toJson() {
            return JsonValue.members()
                    .put("host", host.text())
                    .put("port", port.isPresent() ? JsonValue.of(port.getAsInt()) : JsonValue.none())
                    .put("blockPrivate", blockPrivate)
                    .build();
        }
    }

    record ExecRule(String binary) implements Element {
        @Override
        public Kind kind() {
            return Kind.EXEC;
        }

        @Override
        public String print() {
            return "exec:spawn:" + binary;
        }

        @Override
        public JsonValue toJson() {
            return JsonValue.members().put("binary", binary).build();
        }
    }

    record EnvRule(String name, EnvAction action) implements Element {
        @Override
        public Kind kind() {
            return Kind.ENV;
        }

        @Override
        public String print() {
            return "env:" + action.word() + ":" + name;
        }

        @Override
        public JsonValue toJson() {
            return JsonValue.members()
                    .put("name", name)
                    .put("action", action.word())
                    .build();
        }
    }

    record IpcRule(IpcEndpoint endpoint) implements Element {
        @Override
        public Kind kind() {
            return Kind.IPC;
        }

        @Override
        public String print() {
            return "ipc:connect:" + quoted(endpoint.text());
        }

        @Override
        public JsonValue toJson() {
            return JsonValue.members().put("endpoint", endpoint.text()).build();
        }
    }

    record ClockRule(ClockSource source) implements Element {
        @Override
        public Kind kind() {
            return Kind.CLOCK;
        }

        @Override
        public String print() {
            return "clock:" + source.word();
        }

        @Override
        public JsonValue toJson() {
            return JsonValue.of(source.word());
        }
    }

    record Assertion(String id, String description) implements Element {
        @Override
        public Kind kind() {
            return Kind.ASSERT;
        }

        @Override
        public String print() {
            return "assert:" + quoted(id) + (description.equals(id) ? "" : ":\"" + description + "\"");
        }

        @Override
        public JsonValue toJson() {
            return JsonValue.members()
                    .put("id", id)
                    .put("description", description)
                    .build();
        }
    }

    private static String quoted(String scope) {
        return scope.indexOf(':') < 0 ? scope : '"' + scope + '"';
    }
}
