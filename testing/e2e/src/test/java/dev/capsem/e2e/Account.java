package dev.capsem.e2e;

import java.util.ArrayList;
import java.util.List;

/// Whose service a test talks to. A root-run gate tests both; an ordinary user's gate tests only its own kind.
enum Account {
    ROOT,
    USER;

    /// Owned by nobody on any host we know, without an entry in the password file: the least a user can be. Tests that
    /// run side by side have one each, because the kernel counts much per user.
    static final int USER_ID = 1998 + Integer.getInteger("capsem.fork", 1);

    private static final boolean RUNS_AS_ROOT = "root".equals(System.getProperty("user.name"));

    static List<Account> available() {
        return RUNS_AS_ROOT ? List.of(ROOT, USER) : List.of(USER);
    }

    /// The command as this account would run it.
    List<String> command(List<String> argv) {
        List<String> all = new ArrayList<>();
        if (this == USER && RUNS_AS_ROOT) {
            String id = Integer.toString(USER_ID);
            all.addAll(List.of("setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--"));
        }
        all.addAll(argv);
        return all;
    }

    /// True when files made for this account must be handed over to it first.
    boolean isForeign() {
        return this == USER && RUNS_AS_ROOT;
    }
}
