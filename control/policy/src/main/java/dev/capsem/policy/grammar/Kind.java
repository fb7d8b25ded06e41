package dev.capsem.policy.grammar;

import dev.capsem.policy.diagnostic.Code;
import java.util.List;
import java.util.Locale;

/// The seven kinds of capability, in the order in which support checks and coverage tables list them.
public enum Kind {
    FS(Code.CAP_FS_SHAPE, "an absolute path"),
    NET(Code.CAP_NET_SHAPE, "a host, and optionally a port"),
    EXEC(Code.CAP_EXEC_SHAPE, "the name of a program"),
    ENV(Code.CAP_ENV_SHAPE, "the name of an environment variable"),
    IPC(Code.CAP_IPC_SHAPE, "an endpoint"),
    CLOCK(Code.CAP_CLOCK_SHAPE, "a clock source"),
    ASSERT(Code.CAP_ASSERT_SHAPE, "an id, and optionally a description");

    private static final List<String> FS_ACTIONS = List.of("read", "write", "create", "delete");
    private static final List<String> CONNECT = List.of("connect");
    private static final List<String> SPAWN = List.of("spawn");
    private static final List<String> ENV_ACTIONS = List.of("read", "inject");

    private final String word;
    private final Code shapeCode;
    private final String scope;

    Kind(Code shapeCode, String scope) {
        this.word = name().toLowerCase(Locale.ROOT);
        this.shapeCode = shapeCode;
        this.scope = scope;
    }

    public String word() {
        return word;
    }

    /// The words the actions part may hold; none for kinds that have no such part.
    public List<String> actions() {
        return switch (this) {
            case FS -> FS_ACTIONS;
            case NET, IPC -> CONNECT;
            case EXEC -> SPAWN;
            case ENV -> ENV_ACTIONS;
            case CLOCK, ASSERT -> List.of();
        };
    }

    public String scope() {
        return scope;
    }

    Code shapeCode() {
        return shapeCode;
    }
}
