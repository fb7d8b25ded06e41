// A directory of the host with mounts below it. What lies under a mount is closed to an ordinary user, so the kernel
// neither clones nor overlays such a directory as a whole for one. It is put together from its parts instead: one overlay
// for each directory without mounts, a bind for each file beside a mount. What is mounted there is not shown, as for root.
#include "launcher_parts.h"
#include "launcher_sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A mount in /usr/lib of a large host leaves a few hundred directories; a file mounted into /usr/bin would leave thousands
// of files, each a mount of its own.
#define PARTS_MAX 1024
#define MOUNTS_MAX 4096

static struct part {
    const char *layer;
    char *path; // relative to the layer
    bool directory;
} parts[PARTS_MAX];
static size_t part_count;

static char *mounts[MOUNTS_MAX];
static size_t mount_count;

static char *copy_text(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL)
        fail(EXIT_STEP, "raise the memory limit", "remember %s", text);
    return copy;
}

// The kernel writes blanks and backslashes of a path as three octal digits.
static void unescape(char *path) {
    char *to = path;
    for (const char *from = path; *from != '\0'; to++) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] && from[3]) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

static void read_mounts(void) {
    if (mount_count > 0)
        return;
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t size = 0;
    if (file == NULL)
        fail(EXIT_MOUNT, "mount /proc", "read /proc/self/mountinfo");
    while (getline(&line, &size, file) > 0 && mount_count < MOUNTS_MAX) {
        char point[PATH_MAX];
        if (sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1)
            continue;
        unescape(point);
        mounts[mount_count++] = copy_text(point);
    }
    free(line);
    fclose(file);
}

static bool is_mount(const char *path) {
    for (size_t i = 0; i < mount_count; i++)
        if (strcmp(mounts[i], path) == 0)
            return true;
    return false;
}

bool has_mounts_below(const char *path) {
    size_t length = strlen(path);
    read_mounts();
    for (size_t i = 0; i < mount_count; i++)
        if (strncmp(mounts[i], path, length) == 0 && mounts[i][length] == '/')
            return true;
    return false;
}

// Colons, commas and backslashes mean something in the options of an overlay.
static bool is_plain(const char *name) {
    return strpbrk(name, ":,\\") == NULL;
}

static void add_part(const struct divided *divided, int from, const char *name, const char *path, bool directory) {
    char staged[64], skeleton[PATH_MAX + 64];
    if (part_count == PARTS_MAX)
        refuse(EXIT_MOUNT, "unmount what is mounted among them", "%s has a mount among more than %d files", divided->path,
               PARTS_MAX);
    int found = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (found < 0)
        return; // Gone since we looked.
    snprintf(staged, sizeof staged, "host/part%zu", part_count);
    snprintf(skeleton, sizeof skeleton, "skeleton/%s/%s", divided->layer, path);
    int placed = directory ? mkdir(staged, 0755) : open(staged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    int shown = directory ? mkdir(skeleton, 0755) : open(skeleton, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (placed < 0 || shown < 0)
        fail(EXIT_MOUNT, DEFECT, "stage %s of %s", path, divided->path);
    if (!directory) {
        close(placed);
        close(shown);
    }
    attach(clone_tree(found, divided->path), AT_FDCWD, staged);
    close(found);
    parts[part_count++] = (struct part){divided->layer, copy_text(path), directory};
}

static void add_link(const struct divided *divided, int from, const char *name, const char *path) {
    char target[PATH_MAX], skeleton[PATH_MAX + 64];
    ssize_t length = readlinkat(from, name, target, sizeof target - 1);
    if (length <= 0)
        return;
    target[length] = '\0';
    snprintf(skeleton, sizeof skeleton, "skeleton/%s/%s", divided->layer, path);
    if (symlink(target, skeleton) < 0)
        fail(EXIT_MOUNT, DEFECT, "link %s of %s", path, divided->path);
}

// Stands where something else is mounted.
static void add_empty(const struct divided *divided, const char *path) {
    char skeleton[PATH_MAX + 64];
    snprintf(skeleton, sizeof skeleton, "skeleton/%s/%s", divided->layer, path);
    if (mkdir(skeleton, 0755) < 0)
        fail(EXIT_MOUNT, DEFECT, "create %s in the staging area", skeleton);
}

// Takes the descriptor. `path` is relative to the divided directory.
static void divide_directory(const struct divided *divided, int from, const char *path) {
    char inner[PATH_MAX], whole[PATH_MAX], skeleton[PATH_MAX + 64];
    snprintf(skeleton, sizeof skeleton, "skeleton/%s%s%s", divided->layer, path[0] ? "/" : "", path);
    if (mkdir(skeleton, 0755) < 0)
        fail(EXIT_MOUNT, DEFECT, "create %s in the staging area", skeleton);
    DIR *directory = fdopendir(from);
    if (directory == NULL)
        fail(EXIT_STEP, "raise the memory limit", "read %s", divided->path);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        struct stat status;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !is_plain(name))
            continue;
        if (snprintf(inner, sizeof inner, "%s%s%s", path, path[0] ? "/" : "", name) >= (int)sizeof inner ||
            snprintf(whole, sizeof whole, "%s/%s", divided->path, inner) >= (int)sizeof whole ||
            fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        bool other = is_mount(whole) || (divided->skipped != NULL && strcmp(inner, divided->skipped) == 0);
        if (other) {
            if (S_ISDIR(status.st_mode))
                add_empty(divided, inner);
        } else if (S_ISLNK(status.st_mode)) {
            add_link(divided, from, name, inner);
        } else if (S_ISDIR(status.st_mode) && has_mounts_below(whole)) {
            int below = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below >= 0)
                divide_directory(divided, below, inner);
        } else if (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode)) {
            add_part(divided, from, name, inner, S_ISDIR(status.st_mode));
        }
    }
    closedir(directory);
}

void divide(const struct divided *divided) {
    if (mkdir("skeleton", 0755) < 0 && errno != EEXIST)
        fail(EXIT_MOUNT, DEFECT, "create skeleton in the staging area");
    int directory = open(divided->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        fail(EXIT_MISSING, "check its permissions", "read %s", divided->path);
    divide_directory(divided, directory, "");
}

bool is_divided(const char *layer) {
    char skeleton[64];
    snprintf(skeleton, sizeof skeleton, "skeleton/%s", layer);
    return access(skeleton, F_OK) == 0;
}

// The guest may have removed the directory or put something else there: then it keeps what it made.
static bool make_upper(const char *layer, const char *path) {
    char top[64], name[PATH_MAX];
    snprintf(top, sizeof top, "session/up/%s", layer);
    int at = open(top, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (at >= 0) {
        size_t length = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        if (mkdirat(at, name, 0755) < 0 && errno != EEXIST)
            fail(EXIT_STEP, "check the session's directory: disk space and permissions", "create %s", name);
        int below = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = below;
        if (path[length] == '\0')
            break;
        path += length + 1;
    }
    if (at < 0)
        return false;
    close(at);
    return true;
}

static void mount_directory(const struct part *part, size_t number, int target) {
    char lower[2 * PATH_MAX], upper[PATH_MAX + 64], work[64], base[PATH_MAX + 64];
    if (!make_upper(part->layer, part->path))
        return;
    snprintf(base, sizeof base, "base/%s/%s", part->layer, part->path);
    bool in_base = access(base, F_OK) == 0;
    snprintf(lower, sizeof lower, "%s%shost/part%zu", in_base ? base : "", in_base ? ":" : "", number);
    snprintf(upper, sizeof upper, "session/up/%s/%s", part->layer, part->path);
    snprintf(work, sizeof work, "session/wk/part%zu", number);
    if (mkdir(work, 0755) < 0 && errno != EEXIST)
        fail(EXIT_STEP, "check the session's directory: disk space and permissions", "create %s", work);
    mount_overlay(target, part->path, lower, upper, work);
}

void mount_parts(const char *layer, const char *target, int root) {
    char path[PATH_MAX + 64], staged[64];
    for (size_t i = 0; i < part_count; i++) {
        if (strcmp(parts[i].layer, layer) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", target, parts[i].path);
        int point = open_beneath(root, path, O_PATH | (parts[i].directory ? O_DIRECTORY : 0));
        if (point < 0)
            continue; // Removed by the guest.
        if (parts[i].directory) {
            mount_directory(&parts[i], i, point);
        } else {
            snprintf(staged, sizeof staged, "host/part%zu", i);
            attach(clone_tree(open(staged, O_PATH | O_CLOEXEC), staged), point, "");
        }
        close(point);
    }
}
