// Mounts by descriptor: no path is looked up twice, and none below a directory that a guest may have filled.
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

// <sys/mount.h> and <linux/mount.h> do not go together in every libc; this is all we need of the former.
int mount(const char *source, const char *target, const char *type, unsigned long flags, const void *data);

int clone_tree(int directory, const char *what) {
    int tree = (int)syscall(SYS_open_tree, directory, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (tree < 0)
        fail(EXIT_MOUNT, "unmount what is mounted below it (see `findmnt -R`), or use Linux 5.12 or later", "clone the mount of %s",
             what);
    return tree;
}

void map_ids(int tree, int user_namespace, const char *what) {
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)user_namespace};
    if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0)
        fail(EXIT_MOUNT,
             "its file system must support id-mapped mounts (ext4, xfs, btrfs); as root Linux 5.19 or later is needed",
             "map the ids of %s", what);
}

void attach(int tree, int at, const char *path) {
    unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | (path[0] == '\0' ? MOVE_MOUNT_T_EMPTY_PATH : 0);
    if (syscall(SYS_move_mount, tree, "", at, path, flags) < 0)
        fail(EXIT_MOUNT, "this is a defect; please report it with your kernel's version", "attach the mount %s", path);
    close(tree);
}

void make_mounts_private(void) {
    if (mount("none", "/", NULL, MS_PRIVATE | MS_REC, NULL) < 0)
        fail(EXIT_MOUNT, "the caller needs CAP_SYS_ADMIN in its user namespace", "make all mounts private");
}

int open_beneath(int directory, const char *path, int flags) {
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

void mount_overlay(int target, const char *name, const char *lower, const char *upper, const char *work) {
    char options[4096], path[64];
    // userxattr: the same marks whoever mounts, so that layers can be read and copied by an ordinary user.
    // index=off: layers are copied by fork, and an index would call every copy stale.
    int length =
        snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s,userxattr,index=off", lower, upper, work);
    if (length >= (int)sizeof options)
        refuse(EXIT_MOUNT, "use shorter names", "the paths of the overlay of %s are too long", name);
    snprintf(path, sizeof path, "/proc/self/fd/%d", target);
    if (mount("overlay", path, "overlay", MS_NOSUID | MS_NODEV, options) < 0)
        fail(EXIT_MOUNT,
             "overlayfs in user namespaces needs Linux 5.11 or later, and the session must be on ext4, xfs, btrfs or tmpfs",
             "mount the overlay of %s", name);
}

void mount_read_only_overlay(int target, const char *name, const char *lower) {
    char options[512], path[64];
    snprintf(options, sizeof options, "lowerdir=%s,userxattr,index=off", lower);
    snprintf(path, sizeof path, "/proc/self/fd/%d", target);
    if (mount("overlay", path, "overlay", MS_NOSUID | MS_NODEV | MS_RDONLY, options) < 0)
        fail(EXIT_MOUNT, "its file system must allow overlays: ext4, xfs, btrfs or tmpfs", "show %s", name);
}

void make_read_only(int tree, const char *what) {
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
    if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0)
        fail(EXIT_MOUNT, "use Linux 5.12 or later", "make %s read-only", what);
}

void mount_stage(const char *path) {
    if (mount("capsem", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") < 0)
        fail(EXIT_MOUNT, "create that directory", "mount the staging area on %s", path);
}
