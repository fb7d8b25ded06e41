package dev.capsem.policy.grammar;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/// One thing a tool asks for, read from a string and checked. [#print] gives a string that reads back as the same.
public sealed interface Capability {
    Kind kind();

    Refinements refinements();

    /// The string form: canonical quoting, actions in the order they were given.
    String print();

    /// Whether a sandbox can do anything about it. Assertions are promises that only the host can verify.
    default boolean isEnforceable() {
        return kind() != Kind.ASSERT;
    }

    record Fs(List<FsAction> actions, FsPath path, Refinements refinements) implements Capability {
        public Fs {
            actions = List.copyOf(actions);
        }

        @Override
        public Kind kind() {
            return Kind.FS;
        }

        @Override
        public String print() {
            String words = actions.stream().map(FsAction::word).collect(Collectors.joining(","));
            return "fs:" + words + ":" + quoted(path.text()) + refinements.print();
        }
    }

    /// An absent port means every port.
    record Net(Host host, OptionalInt port, Refinements refinements) implements Capability {
        @Override
        public Kind kind() {
            return Kind.NET;
        }

        @Override
        public String print() {
            String suffix = port.isPresent() ? ":" + port.getAsInt() : "";
            return "net:connect:" + quoted(host.text()) + suffix + refinements.print();
        }
    }

    record Exec(String binary, Refinements refinements) implements Capability {
        @Override
        public Kind kind() {
            return Kind.EXEC;
        }

        @Override
        public String print() {
            return "exec:spawn:" + quoted(binary) + refinements.print();
        }
    }

    record Env(List<EnvAction> actions, String name, Refinements refinements) implements Capability {
        public Env {
            actions = List.copyOf(actions);
        }

        @Override
        public Kind kind() {
            return Kind.ENV;
        }

        @Override
        public String print() {
            String words = actions.stream().map(EnvAction::word).collect(Collectors.joining(","));
            return "env:" + words + ":" + name + refinements.print();
        }
    }

    record Ipc(IpcEndpoint endpoint, Refinements refinements) implements Capability {
        @Override
        public Kind kind() {
            return Kind.IPC;
        }

        @Override
        public String print() {
            return "ipc:connect:" + quoted(endpoint.text()) + refinements.print();
        }
    }

    record Clock(ClockSource source, Refinements refinements) implements Capability {
        @Override
        public Kind kind() {
            return Kind.CLOCK;
        }

        @Override
        public String print() {
            return "clock:" + source.word() + refinements.print();
        }
    }

    record Assert(String id, String description, Refinements refinements) implements Capability {
        @Override
        public Kind kind() {
            return Kind.ASSERT;
        }

        @Override
        public String print() {
            String suffix = description.equals(id) ? "" : ":\"" + description + "\"";
            return "assert:" + quoted(id) + suffix + refinements.print();
        }
    }

    private static String quoted(String scope) {
        return scope.indexOf(':') < 0 ? scope : '"' + scope + '"';
    }
}
