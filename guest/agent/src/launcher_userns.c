// User namespaces and id maps.
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const ALLOW_USER_NAMESPACES =
    "allow user namespaces: sysctl user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1 "
    "kernel.apparmor_restrict_unprivileged_userns=0 (those your kernel knows)";

static unsigned id_range;

bool runs_as_root(void) {
    return geteuid() == 0;
}

void use_id_range(const char *number) {
    char *end;
    unsigned long value = strtoul(number, &end, 10);
    if (number[0] < '0' || number[0] > '9' || *end != '\0' || value > ID_RANGE_MAX)
        refuse(EXIT_USAGE, "give a number of 0 to 31999", "%s is no range of ids", number);
    id_range = (unsigned)value;
}

unsigned guest_id_base(void) {
    return STORED_ID_BASE + id_range * GUEST_ID_COUNT;
}

int new_user_namespace(const char *uid_map, const char *gid_map) {
    int ready[2], hold[2];
    if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(hold, O_CLOEXEC) < 0)
        fail(EXIT_STEP, "raise the limit of open files", "pipe");
    pid_t child = fork();
    if (child < 0)
        fail(EXIT_STEP, "raise the limit of processes", "fork");
    if (child == 0) {
        close(ready[0]);
        close(hold[1]);
        // What the kernel counts in the namespace it also counts for the one who made it: that shall not be the host's
        // root, who would be left without inotify instances. Our rights stay.
        bool made = prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) == 0 && seteuid(guest_id_base()) == 0 &&
                    unshare(CLONE_NEWUSER) == 0;
        int error = made ? 0 : errno;
        char byte;
        if (write(ready[1], &error, sizeof error) == (ssize_t)sizeof error)
            (void)!read(hold[0], &byte, 1); // Lives until the parent holds the namespace open, or is dead.
        _exit(0);
    }
    close(ready[1]);
    close(hold[0]);
    int error = EIO;
    if (read(ready[0], &error, sizeof error) != (ssize_t)sizeof error)
        error = EIO;
    if (error != 0) {
        errno = error;
        fail(EXIT_NAMESPACE, ALLOW_USER_NAMESPACES, "create a user namespace");
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/uid_map", child);
    write_file(path, uid_map, EXIT_NAMESPACE, "start as the host's root, not as root of a container");
    snprintf(path, sizeof path, "/proc/%d/gid_map", child);
    write_file(path, gid_map, EXIT_NAMESPACE, "start as the host's root, not as root of a container");
    snprintf(path, sizeof path, "/proc/%d/ns/user", child);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        fail(EXIT_NAMESPACE, "mount /proc", "open %s", path);
    close(ready[0]);
    close(hold[1]);
    waitpid(child, NULL, 0);
    return descriptor;
}

int guest_user_namespace(void) {
    char map[64];
    snprintf(map, sizeof map, "0 %u %u\n", guest_id_base(), GUEST_ID_COUNT);
    return new_user_namespace(map, map);
}

int stored_user_namespace(void) {
    if (id_range == 0)
        return -1;
    char map[96];
    // Those below are themselves: the overlay works as the host's root, to whom whiteouts and work directories belong.
    snprintf(map, sizeof map, "0 0 %u\n%u %u %u\n", STORED_ID_BASE, STORED_ID_BASE, guest_id_base(), GUEST_ID_COUNT);
    return new_user_namespace(map, map);
}

static void owner_map(char *map, size_t size, unsigned owner) {
    unsigned base = guest_id_base(), last = GUEST_ID_COUNT - 1;
    if (owner == 0)
        snprintf(map, size, "0 %u %u\n", base, GUEST_ID_COUNT);
    else if (owner < last)
        snprintf(map, size, "%u %u 1\n0 %u %u\n%u %u %u\n", owner, base, base + 1, owner, owner + 1, base + 1 + owner,
                 last - owner);
    else
        snprintf(map, size, "%u %u 1\n0 %u %u\n", owner, base, base + 1, last);
}

int owner_user_namespace(uid_t owner, gid_t group) {
    char uid_map[160], gid_map[160];
    owner_map(uid_map, sizeof uid_map, owner);
    owner_map(gid_map, sizeof gid_map, group);
    return new_user_namespace(uid_map, gid_map);
}

// Of what the kernel counts for a user, the rest is for others. A host whose settings cannot be written keeps its own.
static void bound_namespace(void) {
    static const struct {
        const char *path, *value;
    } bounds[] = {
        {"/proc/sys/user/max_inotify_instances", "64"},
        {"/proc/sys/user/max_inotify_watches", "65536"},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        int file = open(bounds[i].path, O_WRONLY | O_CLOEXEC);
        if (file >= 0)
            (void)!write(file, bounds[i].value, strlen(bounds[i].value));
        close(file);
    }
}

void become_root_of_own_namespace(int other_namespaces) {
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (unshare(CLONE_NEWUSER | other_namespaces) < 0)
        fail(EXIT_NAMESPACE, ALLOW_USER_NAMESPACES, "create a user namespace");
    char map[64];
    write_file("/proc/self/setgroups", "deny", EXIT_NAMESPACE, ALLOW_USER_NAMESPACES);
    snprintf(map, sizeof map, "0 %u 1\n", uid);
    write_file("/proc/self/uid_map", map, EXIT_NAMESPACE, ALLOW_USER_NAMESPACES);
    snprintf(map, sizeof map, "0 %u 1\n", gid);
    write_file("/proc/self/gid_map", map, EXIT_NAMESPACE, ALLOW_USER_NAMESPACES);
    bound_namespace();
}

void become_guest_root(int user_namespace) {
    if (setns(user_namespace, CLONE_NEWUSER) < 0 || setgroups(0, NULL) < 0 || setresgid(0, 0, 0) < 0 ||
        setresuid(0, 0, 0) < 0)
        fail(EXIT_NAMESPACE, ALLOW_USER_NAMESPACES, "enter the guest's user namespace");
    bound_namespace();
    if (unshare(CLONE_NEWNS) < 0)
        fail(EXIT_NAMESPACE, "raise user.max_mnt_namespaces", "create the guest's mount namespace");
}
