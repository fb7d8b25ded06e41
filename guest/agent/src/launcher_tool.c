// `capsem-launch tool`: runs a program of the host in the sandbox that a compiled policy describes. The policy comes
// as arguments for bwrap; what they bind is opened here, with the caller's rights, and handed to a bwrap that has
// none of them. Our environment becomes the program's, on a path that nobody can read it from.
#include "launcher_sandbox.h"
#include "seccomp.h"
#include "tool_proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BINDS_MAX 128
// An exit code can carry a descriptor's number below this.
#define DESCRIPTOR_MAX 250

extern char **environ;

struct bind {
    int argument; // where its source stands
    int tree;     // -1: not there, and it need not be
    bool is_directory, is_granted;
    uid_t owner;
    gid_t group;
};

struct tool {
    pid_t parent, guest;
    const char *bwrap, *guest_home;
    const char *place, *source; // what is bound as `place` is found at `source`
    const char *cgroups[CGROUPS_MAX]; // their `cgroup.procs`
    size_t cgroup_count;
    bool makes_namespaces; // the policy lets it build sandboxes of its own
    bool sets_up_network; // the program is ours, and gives these rights up before it runs another
    char **argv; // for bwrap, from its options on
    int argc, program; // the index of `--`
    struct bind binds[BINDS_MAX];
    size_t bind_count;
    int guest_tree;
};

static void parse(struct tool *tool, int argc, char **argv) {
    int i = 0;
    for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (strcmp(argv[i], "--parent") == 0)
            tool->parent = (pid_t)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--bwrap") == 0)
            tool->bwrap = argv[i + 1];
        else if (strcmp(argv[i], "--guest") == 0)
            tool->guest = (pid_t)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--guest-home") == 0)
            tool->guest_home = argv[i + 1];
        else if (strcmp(argv[i], "--place") == 0)
            tool->place = argv[i + 1];
        else if (strcmp(argv[i], "--place-source") == 0)
            tool->source = argv[i + 1];
        else if (strcmp(argv[i], "--network") == 0 && strcmp(argv[i + 1], "own") == 0)
            tool->sets_up_network = true;
        else if (strcmp(argv[i], "--id-range") == 0)
            use_id_range(argv[i + 1]);
        else if (strcmp(argv[i], "--cgroup") == 0 && tool->cgroup_count < CGROUPS_MAX)
            tool->cgroups[tool->cgroup_count++] = argv[i + 1];
        else
            refuse(EXIT_USAGE, DEFECT, "tool: unknown option");
    }
    tool->argv = argv + i + 1;
    tool->argc = argc - i - 1;
    for (tool->program = 0; tool->program < tool->argc && strcmp(tool->argv[tool->program], "--") != 0;)
        tool->program++;
    tool->makes_namespaces = true;
    for (int word = 0; word < tool->program; word++)
        if (strcmp(tool->argv[word], "--unshare-user-try") == 0)
            tool->makes_namespaces = false;
    if (!tool->bwrap || tool->program + 1 >= tool->argc || !tool->guest != !tool->guest_home ||
        !tool->place != !tool->source)
        refuse(EXIT_USAGE, "use: capsem-launch tool --parent PID --bwrap FILE [--guest PID --guest-home DIR] [--place DIR --place-source DIR] [--network own] [--id-range N] [--cgroup FILE]... -- OPTION... -- PROGRAM...",
               "tool: options missing");
}

// The guest's home with everything mounted in it, as the guest sees it: the layers below it may not be written to
// behind the back of the file system that joins them.
static int clone_guest_home(pid_t guest) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/user", guest);
    int user = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", guest);
    int mounts = open(path, O_RDONLY | O_CLOEXEC);
    if (user < 0 || mounts < 0)
        fail(EXIT_MISSING, "start the sandbox first", "open the namespaces of process %d", guest);
    // A child enters, since nobody comes back; it shares our descriptors, and its exit code says which is the tree.
    pid_t child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (child < 0)
        fail(EXIT_STEP, "raise the limit of processes", "fork");
    if (child == 0) {
        if (setns(user, CLONE_NEWUSER) < 0 || setns(mounts, CLONE_NEWNS) < 0)
            _exit(255);
        int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        int home = open_beneath(root, "root", O_PATH | O_DIRECTORY);
        int tree = (int)syscall(SYS_open_tree, home, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | AT_RECURSIVE | OPEN_TREE_CLOEXEC);
        _exit(tree >= 0 && tree < DESCRIPTOR_MAX ? tree : 255);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) >= DESCRIPTOR_MAX)
        refuse(EXIT_NAMESPACE, "Linux 5.12 or later is needed", "the guest's home cannot be reached");
    close(user);
    close(mounts);
    return WEXITSTATUS(status);
}

static void open_bind(struct tool *tool, int option, bool may_be_missing) {
    if (option + 2 >= tool->program || tool->bind_count == BINDS_MAX)
        refuse(EXIT_USAGE, DEFECT, "tool: a bind is not complete, or there are too many");
    struct bind *bind = &tool->binds[tool->bind_count++];
    const char *source = tool->argv[option + 1];
    *bind = (struct bind){.argument = option + 1, .is_directory = true, .tree = -1};
    if (tool->guest && strcmp(source, tool->guest_home) == 0) {
        bind->tree = tool->guest_tree;
        return;
    }
    if (tool->place && strcmp(source, tool->place) == 0)
        source = tool->source;
    int file = open(source, O_PATH | O_CLOEXEC);
    if (file < 0 && may_be_missing && (errno == ENOENT || errno == EACCES))
        return;
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0)
        fail(EXIT_MISSING, "the policy names it: create it, or grant less", "open %s", source);
    bind->tree = (int)syscall(SYS_open_tree, file, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | AT_RECURSIVE | OPEN_TREE_CLOEXEC);
    if (bind->tree < 0)
        fail(EXIT_MOUNT, "use Linux 5.12 or later", "clone the mount of %s", source);
    close(file);
    bind->is_directory = S_ISDIR(status.st_mode);
    // What every program gets is bound as it is; what was granted is the program's as it was its owner's.
    bind->is_granted = !may_be_missing;
    bind->owner = status.st_uid;
    bind->group = status.st_gid;
}

static void open_binds(struct tool *tool) {
    for (int i = 0; i < tool->program; i++) {
        const char *word = tool->argv[i];
        bool plain = strcmp(word, "--bind") == 0 || strcmp(word, "--ro-bind") == 0;
        if (plain || strcmp(word, "--bind-try") == 0 || strcmp(word, "--ro-bind-try") == 0) {
            open_bind(tool, i, !plain);
            i += 2;
        }
    }
}

// Where the file system cannot do it, the program has to do with what everybody may.
static void give_to_program(const struct bind *bind) {
    int owner = owner_user_namespace(bind->owner, bind->group);
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)owner};
    (void)!syscall(SYS_mount_setattr, bind->tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes);
    close(owner);
}

static void stage_binds(struct tool *tool, bool mapped) {
    static char names[BINDS_MAX][32];
    mount_stage(STAGE);
    if (mkdir(STAGE "/empty", 0755) < 0)
        fail(EXIT_MOUNT, DEFECT, "create a mount point");
    for (size_t i = 0; i < tool->bind_count; i++) {
        struct bind *bind = &tool->binds[i];
        snprintf(names[i], sizeof names[i], STAGE "/%zu", i);
        tool->argv[bind->argument] = names[i];
        if (bind->tree < 0)
            continue;
        int point = bind->is_directory ? mkdir(names[i], 0755) : open(names[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (point < 0)
            fail(EXIT_MOUNT, DEFECT, "create a mount point");
        if (!bind->is_directory)
            close(point);
        if (mapped && bind->is_granted)
            give_to_program(bind);
        attach(bind->tree, AT_FDCWD, names[i]);
    }
}

// Our environment, as options that bwrap reads from a descriptor.
static int environment_options(void) {
    int file = memfd_create("environment", 0);
    if (file < 0)
        fail(EXIT_STEP, DEFECT, "keep the environment");
    static const char option[] = "--setenv";
    for (char **entry = environ; *entry; entry++) {
        char *value = strchr(*entry, '=');
        if (value == NULL || strncmp(*entry, "PATH=", 5) == 0)
            continue;
        size_t name = (size_t)(value - *entry);
        if (name == strlen(TOOL_MAKES_NAMESPACES) && strncmp(*entry, TOOL_MAKES_NAMESPACES, name) == 0)
            continue; // Ours to say.
        if (write(file, option, sizeof option) < 0 || write(file, *entry, name) < 0 || write(file, "", 1) < 0 ||
            write(file, value + 1, strlen(value)) < 0)
            fail(EXIT_STEP, DEFECT, "keep the environment");
    }
    lseek(file, 0, SEEK_SET);
    return file;
}

static _Noreturn void become_program(struct tool *tool, int bwrap) {
    static struct arguments arguments;
    char descriptor[16], filter[16];
    snprintf(descriptor, sizeof descriptor, "%d", environment_options());
    PUSH(&arguments, "bwrap");
    push(&arguments, (const char *const *)tool->argv, (size_t)tool->program);
    push_proc_masks(&arguments);
    PUSH(&arguments, "--args", descriptor, "--cap-drop", "ALL");
    if (tool->sets_up_network) {
        // Nobody in the sandbox may be without the filter: the program could write to the memory of bwrap's first process,
        // and let that call the kernel in its place. Our program is the first one, and has the filter before it runs another.
        PUSH(&arguments, "--as-pid-1");
        PUSH(&arguments, "--cap-add", "CAP_NET_ADMIN", "--cap-add", "CAP_NET_BIND_SERVICE", "--cap-add", "CAP_SETPCAP");
        if (tool->makes_namespaces)
            PUSH(&arguments, "--setenv", TOOL_MAKES_NAMESPACES, "1");
    } else {
        snprintf(filter, sizeof filter, "%d", seccomp_file(tool->makes_namespaces));
        PUSH(&arguments, "--seccomp", filter);
    }
    push(&arguments, (const char *const *)tool->argv + tool->program, (size_t)(tool->argc - tool->program));
    arguments.list[arguments.count] = NULL;
    char *const environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL};
    syscall(SYS_execveat, bwrap, "", arguments.list, environment, AT_EMPTY_PATH);
    fail(EXIT_MISSING, "install bubblewrap 0.8 or later", "run bwrap");
}

int launch_tool(int argc, char **argv) {
    struct tool tool = {.guest_tree = -1};
    parse(&tool, argc, argv);
    umask(022);
    if (syscall(SYS_close_range, 3u, ~0u, 0u) < 0)
        fail(EXIT_STEP, "use Linux 5.9 or later", "close inherited descriptors");
    die_with_parent(tool.parent);
    leave_keyring();
    const struct rlimit no_core = {1, 1};
    setrlimit(RLIMIT_CORE, &no_core);
    char self[16];
    snprintf(self, sizeof self, "%d", getpid());
    for (size_t i = 0; i < tool.cgroup_count; i++)
        write_file(tool.cgroups[i], self, EXIT_CGROUP, "check that this user may write there");
    if (tool.guest)
        tool.guest_tree = clone_guest_home(tool.guest);

    int guest = -1;
    if (runs_as_root()) {
        guest = guest_user_namespace();
        if (unshare(CLONE_NEWNS) < 0)
            fail(EXIT_NAMESPACE, "the caller needs CAP_SYS_ADMIN", "create a mount namespace");
    } else {
        become_root_of_own_namespace(CLONE_NEWNS);
    }
    make_mounts_private();
    int bwrap = open(tool.bwrap, O_PATH | O_CLOEXEC);
    if (bwrap < 0)
        fail(EXIT_MISSING, "install bubblewrap 0.8 or later", "open %s", tool.bwrap);
    open_binds(&tool);
    stage_binds(&tool, guest >= 0);
    if (guest >= 0)
        become_guest_root(guest);
    die_with_parent(tool.parent); // Changing ids cleared it.
    become_program(&tool, bwrap);
}
