#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char WORKSPACE[] = "/root";

enum {
    DEPTH_MAX = 64,
    ENTRIES_MAX = 200000,
    PATH_BYTES_MAX = 4096,
    COPY_BYTES = 65536,
    RESOLVE_RETRIES = 16,
    TEMPORARY_NAMES = 100,
};

static int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return code;
}

static int fail_errno(const char *path, int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return fail(FILES_NOT_FOUND, "%s: not found", path);
    case EXDEV:
        return fail(FILES_REFUSED, "%s: leads out of the workspace", path);
    case ELOOP:
        return fail(FILES_REFUSED, "%s: is a symbolic link", path);
    default:
        return fail(FILES_ERROR, "%s: %s", path, strerror(error));
    }
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* The path relative to the workspace ("" for the workspace itself), or NULL when it cannot lie inside. */
static const char *relative(const char *path)
{
    size_t length = sizeof WORKSPACE - 1;
    if (strncmp(path, WORKSPACE, length) == 0 && (path[length] == '/' || path[length] == '\0'))
        path += length + strspn(path + length, "/");
    else if (*path == '/')
        return NULL;
    if (strlen(path) >= PATH_BYTES_MAX)
        return NULL;
    return strcmp(path, ".") == 0 ? "" : path;
}

/* Opens below the workspace. Symbolic links on the way must stay inside; the kernel checks each step. */
static int open_beneath(int workspace, const char *path, int flags)
{
    struct open_how how = {
        .flags = (uint64_t)(flags | O_CLOEXEC),
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    for (int attempt = 0; attempt < RESOLVE_RETRIES; attempt++) {
        int fd = (int)syscall(SYS_openat2, workspace, *path == '\0' ? "." : path, &how, sizeof how);
        /* EAGAIN: something was renamed on the way, so the kernel could not be sure. */
        if (fd >= 0 || errno != EAGAIN)
            return fd;
    }
    return -1;
}

/* ---- entries ---------------------------------------------------------------------------------------------------- */

static char type_of(mode_t mode)
{
    if (S_ISREG(mode))
        return 'f';
    if (S_ISDIR(mode))
        return 'd';
    return S_ISLNK(mode) ? 'l' : 'o';
}

static void print_entry(const struct stat *status, const char *path)
{
    printf("%c %" PRIdMAX " %" PRIdMAX " %o %s", type_of(status->st_mode), (intmax_t)status->st_size,
           (intmax_t)status->st_mtim.tv_sec, (unsigned)(status->st_mode & 07777), path);
    putchar('\0');
}

static int stat_operation(int workspace, const char *path)
{
    int fd = open_beneath(workspace, path, O_PATH | O_NOFOLLOW);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        return fail_errno(path, errno);
    print_entry(&status, path);
    return FILES_DONE;
}

/* ---- list ------------------------------------------------------------------------------------------------------- */

struct listing {
    char path[PATH_BYTES_MAX + 256];
    size_t entries;
};

static int list_directory(struct listing *listing, int directory_fd, size_t prefix, unsigned depth);

static int list_entry(struct listing *listing, int directory_fd, const char *name, size_t prefix, unsigned depth)
{
    struct stat status;
    if (fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return FILES_DONE; /* removed while we look */
    size_t length = strlen(name);
    if (prefix + 1 + length >= sizeof listing->path)
        return fail(FILES_TOO_LARGE, "a path is longer than %d bytes", PATH_BYTES_MAX);
    if (prefix > 0)
        listing->path[prefix++] = '/';
    memcpy(listing->path + prefix, name, length + 1);
    if (++listing->entries > ENTRIES_MAX)
        return fail(FILES_TOO_LARGE, "more than %d entries; list a smaller directory or depth", ENTRIES_MAX);
    print_entry(&status, listing->path);
    if (!S_ISDIR(status.st_mode) || depth <= 1)
        return FILES_DONE;
    int child = openat(directory_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (child < 0) {
        fprintf(stderr, "%s: %s\n", listing->path, strerror(errno)); /* listed, but closed to us */
        return FILES_DONE;
    }
    return list_directory(listing, child, prefix + length, depth - 1);
}

static int list_directory(struct listing *listing, int directory_fd, size_t prefix, unsigned depth)
{
    DIR *directory = fdopendir(directory_fd);
    if (directory == NULL) {
        close(directory_fd);
        return fail(FILES_ERROR, "cannot read a directory: %s", strerror(errno));
    }
    int code = FILES_DONE;
    struct dirent *entry;
    while (code == FILES_DONE && (entry = readdir(directory)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            code = list_entry(listing, directory_fd, entry->d_name, prefix, depth);
    closedir(directory);
    return code;
}

static bool parse_number(const char *text, int base, uint64_t max, uint64_t *value)
{
    char *end;
    errno = 0;
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, base);
    return errno == 0 && *end == '\0' && *value <= max;
}

static int list_operation(int workspace, const char *path, const char *depth_text)
{
    uint64_t depth;
    if (!parse_number(depth_text, 10, DEPTH_MAX, &depth) || depth == 0)
        return fail(FILES_ERROR, "the depth must be 1 to %d", DEPTH_MAX);
    int fd = open_beneath(workspace, path, O_PATH | O_NOFOLLOW);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        return fail_errno(path, errno);
    if (!S_ISDIR(status.st_mode))
        return fail(FILES_REFUSED, "%s: not a directory", path);
    int directory = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return fail_errno(path, errno);
    struct listing listing = {.entries = 0};
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    memcpy(listing.path, path, length);
    return list_directory(&listing, directory, length, (unsigned)depth);
}

/* ---- read and write --------------------------------------------------------------------------------------------- */

static bool write_whole(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t count = write(fd, bytes, length);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    return true;
}

/* Answers 0 or an errno. */
static int copy(int from, int to, uint64_t max)
{
    static char buffer[COPY_BYTES];
    while (max > 0) {
        ssize_t count = read(from, buffer, max < sizeof buffer ? max : sizeof buffer);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        if (count == 0)
            return 0;
        if (!write_whole(to, buffer, (size_t)count))
            return errno;
        max -= (uint64_t)count;
    }
    return 0;
}

static int read_operation(int workspace, const char *path, const char *max_text)
{
    uint64_t max;
    if (!parse_number(max_text, 10, INT64_MAX, &max))
        return fail(FILES_ERROR, "the largest size must be a number");
    /* Looked at first without opening: opening a FIFO or device can have effects. */
    int fd = open_beneath(workspace, path, O_PATH | O_NOFOLLOW);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        return fail_errno(path, errno);
    if (!S_ISREG(status.st_mode))
        return fail(FILES_REFUSED, "%s: not a regular file", path);
    fd = open_beneath(workspace, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) < 0)
        return fail_errno(path, errno);
    if (!S_ISREG(status.st_mode))
        return fail(FILES_REFUSED, "%s: not a regular file", path);
    if ((uint64_t)status.st_size > max)
        return fail(FILES_TOO_LARGE, "%s: %jd bytes, more than the %ju allowed", path, (intmax_t)status.st_size,
                    (uintmax_t)max);
    int error = copy(fd, STDOUT_FILENO, max);
    return error == 0 ? FILES_DONE : fail_errno(path, error);
}

/* Opens the directory that holds the last part of `path`, making it and its parents when missing. */
static int open_parent(int workspace, const char *path, const char *last)
{
    char prefix[PATH_BYTES_MAX];
    size_t length = (size_t)(last - path);
    memcpy(prefix, path, length);
    prefix[length] = '\0';
    int fd = open_beneath(workspace, prefix, O_PATH | O_DIRECTORY);
    if (fd >= 0 || errno != ENOENT)
        return fd;

    fd = open_beneath(workspace, "", O_PATH | O_DIRECTORY);
    for (char *at = prefix; fd >= 0 && *at != '\0';) {
        size_t part = strcspn(at, "/");
        char *end = at + part;
        char separator = *end;
        *end = '\0';
        if (part > 0 && strcmp(at, "..") != 0 && mkdirat(fd, at, 0755) < 0 && errno != EEXIST) {
            close(fd);
            return -1;
        }
        close(fd);
        fd = open_beneath(workspace, prefix, O_PATH | O_DIRECTORY);
        *end = separator;
        at = end + (separator == '/');
    }
    return fd;
}

static int open_temporary(int parent, char *name, size_t size)
{
    for (int attempt = 0; attempt < TEMPORARY_NAMES; attempt++) {
        snprintf(name, size, ".capsem-write-%d-%d", (int)getpid(), attempt);
        int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static int replace(int parent, const char *path, const char *name, mode_t mode)
{
    char temporary[64];
    int fd = open_temporary(parent, temporary, sizeof temporary);
    if (fd < 0)
        return fail_errno(path, errno);
    int error = copy(STDIN_FILENO, fd, UINT64_MAX);
    if (error == 0 && fchmod(fd, mode) < 0)
        error = errno;
    if (close(fd) < 0 && error == 0)
        error = errno;
    if (error == 0 && renameat(parent, temporary, parent, name) < 0)
        error = errno;
    if (error == 0)
        return FILES_DONE;
    unlinkat(parent, temporary, 0);
    if (error == EISDIR)
        return fail(FILES_REFUSED, "%s: not a regular file", path);
    return fail_errno(path, error);
}

static int write_operation(int workspace, const char *path, const char *mode_text)
{
    uint64_t mode;
    if (!parse_number(mode_text, 8, 0777, &mode))
        return fail(FILES_ERROR, "the mode must be octal, at most 777");
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return fail(FILES_REFUSED, "%s: not the name of a file", path);
    int parent = open_parent(workspace, path, name);
    if (parent < 0)
        return errno == ENOTDIR ? fail(FILES_REFUSED, "%s: a parent is not a directory", path) : fail_errno(path, errno);
    struct stat status;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISLNK(status.st_mode))
            return fail_errno(path, ELOOP);
        if (!S_ISREG(status.st_mode))
            return fail(FILES_REFUSED, "%s: not a regular file", path);
    } else if (errno != ENOENT) {
        return fail_errno(path, errno);
    }
    return replace(parent, path, name, (mode_t)mode);
}

/* ---- dispatch --------------------------------------------------------------------------------------------------- */

static int run(char **argv)
{
    if (argv[1] == NULL)
        return fail(FILES_ERROR, "%s: no path given", argv[0]);
    const char *path = relative(argv[1]);
    if (path == NULL)
        return fail(FILES_REFUSED, "%s: outside the workspace", argv[1]);
    int workspace = open(WORKSPACE, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (workspace < 0)
        return fail_errno(WORKSPACE, errno);
    if (strcmp(argv[0], "file-stat") == 0)
        return stat_operation(workspace, path);
    if (strcmp(argv[0], "file-read") == 0)
        return read_operation(workspace, path, argv[2]);
    if (strcmp(argv[0], "file-write") == 0)
        return write_operation(workspace, path, argv[2]);
    if (strcmp(argv[0], "file-list") == 0)
        return list_operation(workspace, path, argv[2]);
    return fail(FILES_ERROR, "%s: unknown file operation", argv[0]);
}

int files_run(char **argv)
{
    int code = run(argv);
    if (fflush(stdout) != 0 && code == FILES_DONE)
        code = FILES_ERROR;
    fflush(stderr);
    return code;
}
