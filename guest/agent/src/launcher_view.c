// What of the host is seen beside the project: files and directories that the user named, read-only; and what of the
// project is not seen: files that are covered by an empty one.
#include "launcher_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPLACED "the guest put something else there: delete this session and create it again"

static bool is_directory(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

void open_view(const struct request *request, struct handles *handles) {
    for (size_t i = 0; i < request->mount_count; i++) {
        struct stat status;
        handles->mounts[i] = open(request->mounts[i], O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (handles->mounts[i] < 0 || fstat(handles->mounts[i], &status) < 0)
            fail(EXIT_MISSING, "name an existing file or directory", "open %s", request->mounts[i]);
        if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode))
            refuse(EXIT_MISSING, "name a file or directory, without links", "%s is neither", request->mounts[i]);
    }
}

static void stage_file(const char *name) {
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (file < 0)
        fail(EXIT_MOUNT, DEFECT, "create %s in the staging area", name);
    close(file);
}

static void stage_place(const char *name) {
    if (mkdir(name, 0755) < 0 && errno != EEXIST)
        fail(EXIT_MOUNT, DEFECT, "create %s in the staging area", name);
}

// As with the project, the guest's root stands for the owner.
static int mapped_tree(int source, const char *what, bool mapped) {
    struct stat status;
    int tree = clone_tree(source, what);
    if (mapped) {
        if (fstat(source, &status) < 0)
            fail(EXIT_MISSING, "name an existing file or directory", "read the owner of %s", what);
        map_ids(tree, owner_user_namespace(status.st_uid, status.st_gid), what);
    }
    return tree;
}

void stage_view(const struct request *request, const struct handles *handles, bool mapped) {
    char lent[64], shown[64], lower[128];
    stage_place("lent");
    stage_place("shown");
    stage_file("nothing");
    for (size_t i = 0; i < request->mount_count; i++) {
        int source = handles->mounts[i];
        snprintf(lent, sizeof lent, "lent/%zu", i);
        snprintf(shown, sizeof shown, "shown/%zu", i);
        if (is_directory(source)) {
            stage_place(lent);
            stage_place(shown);
            attach(mapped_tree(source, request->mounts[i], mapped), AT_FDCWD, lent);
            // Through an overlay, sockets and pipes of the host lead nowhere: a read-only bind would let them pass.
            snprintf(lower, sizeof lower, "%s:empty", lent);
            int target = open(shown, O_PATH | O_DIRECTORY | O_CLOEXEC);
            mount_read_only_overlay(target, request->mounts[i], lower);
            close(target);
        } else {
            stage_file(shown);
            int tree = mapped_tree(source, request->mounts[i], mapped);
            make_read_only(tree, request->mounts[i]);
            attach(tree, AT_FDCWD, shown);
        }
    }
}

// Opens or makes the place, step by step and without following links: the directories may be a guest's.
static int open_place(int root, const char *path, bool directory, bool mapped) {
    char name[NAME_MAX + 1];
    int at = dup(root);
    while (at >= 0 && *path != '\0') {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        bool last = path[length] == '\0';
        bool folder = !last || directory;
        if (length == 0 || length > NAME_MAX)
            refuse(EXIT_USAGE, "name a shorter path", "a place for a mount has no name");
        memcpy(name, path, length);
        name[length] = '\0';
        int made = folder ? mkdirat(at, name, 0755) : openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
        if (made < 0 && errno != EEXIST)
            fail(EXIT_MOUNT, "check the session's directory: disk space and permissions", "make the place %s", name);
        if (made >= 0 && mapped && fchownat(at, name, guest_id_base(), guest_id_base(), AT_SYMLINK_NOFOLLOW) < 0)
            fail(EXIT_MOUNT, "check the session's directory", "give %s to the guest", name);
        if (made > 0)
            close(made);
        int below = open_beneath(at, name, O_PATH | (folder ? O_DIRECTORY : 0));
        close(at);
        at = below;
        path += length;
    }
    return at;
}

bool is_below_tmp(const char *path) {
    return strncmp(path, "/tmp/", 5) == 0;
}

void mount_view(const struct request *request, const struct handles *handles, int root, bool mapped) {
    char shown[64];
    for (size_t i = 0; i < request->mount_count; i++) {
        // bwrap mounts these, over the fresh /tmp that it makes.
        if (is_below_tmp(request->mounts_at[i]))
            continue;
        bool directory = is_directory(handles->mounts[i]);
        int target = open_place(root, request->mounts_at[i], directory, mapped);
        if (target < 0 || is_directory(target) != directory)
            refuse(EXIT_MOUNT, REPLACED, "%s cannot be mounted on", request->mounts_at[i]);
        snprintf(shown, sizeof shown, "shown/%zu", i);
        attach(clone_tree(open(shown, O_PATH | O_CLOEXEC), request->mounts_at[i]), target, "");
        close(target);
    }
}

void hide_files(const struct request *request, int root) {
    if (request->hidden_count == 0)
        return;
    int home = open_beneath(root, "root", O_PATH | O_DIRECTORY);
    int project = home < 0 ? -1 : open_beneath(home, request->project_name, O_PATH | O_DIRECTORY);
    if (project < 0)
        fail(EXIT_MOUNT, "name a project with what is to be hidden in it", "open the project");
    for (size_t i = 0; i < request->hidden_count; i++) {
        int target = open_beneath(project, request->hidden[i], O_PATH);
        if (target < 0 && (errno == ENOENT || errno == ENOTDIR))
            continue;
        if (target < 0)
            fail(EXIT_MOUNT, REPLACED, "hide %s", request->hidden[i]);
        int cover = clone_tree(open(is_directory(target) ? "empty" : "nothing", O_PATH | O_CLOEXEC), "an empty file");
        make_read_only(cover, "an empty file");
        attach(cover, target, "");
        close(target);
    }
    close(project);
    close(home);
}

void push_view(struct arguments *arguments, const struct request *request) {
    static char shown[VIEW_MAX][64];
    for (size_t i = 0; i < request->mount_count; i++) {
        if (!is_below_tmp(request->mounts_at[i]))
            continue;
        snprintf(shown[i], sizeof shown[i], STAGE "/shown/%zu", i);
        PUSH(arguments, "--ro-bind", shown[i], request->mounts_at[i]);
    }
}
