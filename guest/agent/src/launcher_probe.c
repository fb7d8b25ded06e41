// capsem-launch probe: tries in a scratch directory what a sandbox needs of the kernel, and says like `sandbox` what
// fails.
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

int launch_probe(int argc, char **argv) {
    static const char *const directories[] = {"lower", "upper", "work", "merged"};
    if (argc != 1)
        refuse(EXIT_USAGE, "use: capsem-launch probe DIRECTORY", "probe: no directory");
    if (chdir(argv[0]) < 0)
        fail(EXIT_MISSING, "create it first", "enter %s", argv[0]);
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        if (mkdir(directories[i], 0700) < 0 && errno != EEXIST)
            fail(EXIT_STEP, "check disk space and permissions", "create %s", directories[i]);
    if (runs_as_root()) {
        int guest = guest_user_namespace();
        if (unshare(CLONE_NEWNS) < 0)
            fail(EXIT_NAMESPACE, "the caller needs CAP_SYS_ADMIN", "create a mount namespace");
        make_mounts_private();
        int tree = clone_tree(open("lower", O_PATH | O_DIRECTORY | O_CLOEXEC), "a directory");
        map_ids(tree, guest, "a directory");
        attach(tree, AT_FDCWD, "lower");
    } else {
        become_root_of_own_namespace(CLONE_NEWNS);
        make_mounts_private();
    }
    mount_overlay(open("merged", O_PATH | O_DIRECTORY | O_CLOEXEC), "a directory", "lower", "upper", "work");
    return 0;
}
