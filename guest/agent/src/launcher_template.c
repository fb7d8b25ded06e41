// capsem-launch template: what all sandboxes of this host and user share, made once. Owned by us, so that the guest's
// root may change it (in its own overlay): a skeleton of the host's directories where the host's own would be out of
// reach, a copy of the parts of /etc that everybody may read, a fresh /var with the package database.
#include "launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

// Part of the stamp: raise it whenever the content below changes.
#define TEMPLATE_FORMAT "5"

static const char *const CHECK_DISK = "check disk space and permissions of the template's directory";

// --- small steps ---

static void make_dir(int at, const char *path, mode_t mode) {
    if (mkdirat(at, path, 0700) < 0 && errno != EEXIST)
        fail(EXIT_STEP, CHECK_DISK, "create %s in the template", path);
    if (fchmodat(at, path, mode, 0) < 0)
        fail(EXIT_STEP, CHECK_DISK, "set the mode of %s in the template", path);
}

static void make_text(int at, const char *path, const char *text, mode_t mode) {
    unlinkat(at, path, 0);
    int file = openat(at, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    size_t length = strlen(text);
    if (file < 0 || write(file, text, length) != (ssize_t)length || fchmod(file, mode) < 0)
        fail(EXIT_STEP, CHECK_DISK, "write %s in the template", path);
    close(file);
}

static int open_dir(int at, const char *path) {
    return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static DIR *read_dir(int descriptor) {
    DIR *directory = fdopendir(descriptor);
    if (directory == NULL)
        fail(EXIT_STEP, "raise the memory limit", "read a directory");
    return directory;
}

static bool is_dot(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool everybody_may_enter(const struct stat *status) {
    return (status->st_mode & 05) == 05;
}

static bool everybody_may_read(const struct stat *status) {
    return (status->st_mode & 04) != 0;
}

// --- copies of what everybody may read ---

static const char *const NOT_FROM_DPKG[] = {"lock*", "*-old", "statoverride", "updates", "parts", "tmp.ci", "cmethopt"};

// Whether an entry belongs into the template; `path` is relative to where the copy began, `name` to `from`.
typedef bool chooses(int from, const char *name, const char *path, const struct stat *status);

static bool any_entry(int from, const char *name, const char *path, const struct stat *status) {
    (void)from, (void)name, (void)path, (void)status;
    return true;
}

static bool is_of_dpkg(int from, const char *name, const char *path, const struct stat *status) {
    (void)from, (void)name, (void)status;
    for (size_t i = 0; i < sizeof NOT_FROM_DPKG / sizeof NOT_FROM_DPKG[0]; i++)
        if (fnmatch(NOT_FROM_DPKG[i], path, FNM_PATHNAME) == 0)
            return false;
    return true;
}

static void copy_file(int from, int to, const char *name, const struct stat *status) {
    int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (source < 0)
        return; // Gone, or not ours to read after all.
    int target = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (target < 0)
        fail(EXIT_STEP, CHECK_DISK, "create %s in the template", name);
    for (ssize_t copied = 1; copied != 0;) {
        copied = sendfile(target, source, NULL, 1 << 20);
        if (copied < 0 && errno != EINTR)
            fail(EXIT_STEP, CHECK_DISK, "copy %s into the template", name);
    }
    const struct timespec times[2] = {status->st_mtim, status->st_mtim};
    if (fchmod(target, status->st_mode & 0777) < 0 || futimens(target, times) < 0)
        fail(EXIT_STEP, CHECK_DISK, "finish %s in the template", name);
    close(source);
    close(target);
}

static void copy_link(int from, int to, const char *name) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(from, name, target, sizeof target - 1);
    if (length <= 0)
        return;
    target[length] = '\0';
    if (symlinkat(target, to, name) < 0)
        fail(EXIT_STEP, CHECK_DISK, "link %s in the template", name);
}

// Takes both descriptors. `path` is relative to where the copy began.
static void copy_readable(int from, int to, const char *path, chooses *chosen) {
    DIR *directory = read_dir(from);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        char inner[PATH_MAX];
        struct stat status;
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] ? "/" : "", name);
        if (is_dot(name) || fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !chosen(from, name, inner, &status))
            continue;
        if (S_ISLNK(status.st_mode)) {
            copy_link(from, to, name);
        } else if (S_ISREG(status.st_mode) && everybody_may_read(&status)) {
            copy_file(from, to, name, &status);
        } else if (S_ISDIR(status.st_mode) && everybody_may_enter(&status)) {
            int below = open_dir(from, name);
            if (below < 0)
                continue;
            make_dir(to, name, 0700);
            copy_readable(below, open_dir(to, name), inner, chosen);
            make_dir(to, name, (status.st_mode & 0777) | 0700);
        }
    }
    closedir(directory);
    close(to);
}

static void copy_directory(const char *source, int to, const char *name, chooses *chosen) {
    struct stat status;
    int from = open_dir(AT_FDCWD, source);
    if (from < 0)
        return;
    if (fstat(from, &status) < 0 || !everybody_may_enter(&status)) {
        close(from);
        return;
    }
    make_dir(to, name, 0755);
    copy_readable(from, open_dir(to, name), "", chosen);
}

// --- skeletons of /usr, /usr/local, /opt ---

struct skeleton {
    int target;          // the layer's directory in the template
    dev_t device;        // what is mounted below is not part of the layer
    const char *skipped; // a directory at the top that is a layer of its own
};

// Creates the directories that lead to `path`, open to all as they are on the host.
static void make_parents(const struct skeleton *skeleton, const char *path) {
    char parent[PATH_MAX];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
        make_dir(skeleton->target, parent, 0755);
    }
}

// Hides a file or directory of the host that is not for everybody: it may be for whoever starts the sandbox.
static void hide(const struct skeleton *skeleton, const char *path, bool directory) {
    make_parents(skeleton, path);
    if (!directory) {
        make_text(skeleton->target, path, "", 0);
        return;
    }
    make_dir(skeleton->target, path, 0755);
    int hidden = open_dir(skeleton->target, path);
    if (hidden < 0 || fsetxattr(hidden, "user.overlay.opaque", "y", 1, 0) < 0)
        fail(EXIT_STEP, "put the template on a file system with user attributes (ext4, xfs, btrfs)", "hide %s", path);
    close(hidden);
}

static void walk(const struct skeleton *skeleton, int from, const char *path) {
    DIR *directory = read_dir(from);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        char inner[PATH_MAX];
        struct stat status;
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] ? "/" : "", name);
        if (is_dot(name) || entry->d_type == DT_LNK || (skeleton->skipped && strcmp(inner, skeleton->skipped) == 0) ||
            fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (!S_ISDIR(status.st_mode)) {
            if (S_ISREG(status.st_mode) && !everybody_may_read(&status))
                hide(skeleton, inner, false);
            continue;
        }
        int below = everybody_may_enter(&status) ? open_dir(from, name) : -1;
        if (below < 0 || status.st_dev != skeleton->device) {
            hide(skeleton, inner, true);
            if (below >= 0)
                close(below);
            continue;
        }
        make_dir(skeleton->target, inner, (status.st_mode & 01777) | 0700);
        walk(skeleton, below, inner);
    }
    closedir(directory);
}

static void make_skeleton(int template, const char *source, const char *layer, const char *skipped) {
    struct stat status;
    make_dir(template, layer, 0755);
    int from = open_dir(AT_FDCWD, source);
    if (from < 0)
        return;
    if (fstat(from, &status) < 0)
        fail(EXIT_STEP, "check the host's file system", "read %s", source);
    struct skeleton skeleton = {open_dir(template, layer), status.st_dev, skipped};
    walk(&skeleton, from, "");
    close(skeleton.target);
}

// --- the layers ---

static void make_rootfs(int template) {
    static const struct {
        const char *name;
        mode_t mode;
    } directories[] = {
        {"usr", 0755}, {"opt", 0755},  {"etc", 0755},  {"var", 0755},   {"root", 0700}, {"home", 0755}, {"tmp", 01777}, {"run", 0755},
        {"proc", 0555}, {"sys", 0555}, {"dev", 0755}, {"mnt", 0755}, {"media", 0755}, {"srv", 0755}, {"boot", 0755},
    };
    static const char *const merged[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};
    make_dir(template, "rootfs", 0755);
    int root = open_dir(template, "rootfs");
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        make_dir(root, directories[i].name, directories[i].mode);
    for (size_t i = 0; i < sizeof merged / sizeof merged[0]; i++) {
        char path[16], target[64];
        snprintf(path, sizeof path, "/%s", merged[i]);
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0 && errno == ENOENT)
            continue;
        if (length < 0)
            refuse(EXIT_STEP, "merge it into /usr (Debian: apt install usrmerge)", "%s is not a link into /usr", path);
        target[length] = '\0';
        if (symlinkat(target, root, merged[i]) < 0)
            fail(EXIT_STEP, CHECK_DISK, "link %s in the template", path);
    }
    close(root);
}

static const char PASSWD[] = "root:x:0:0:root:/root:/bin/bash\n"
                             "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
                             "bin:x:2:2:bin:/bin:/usr/sbin/nologin\n"
                             "sys:x:3:3:sys:/dev:/usr/sbin/nologin\n"
                             "man:x:6:12:man:/var/cache/man:/usr/sbin/nologin\n"
                             "mail:x:8:8:mail:/var/mail:/usr/sbin/nologin\n"
                             "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n"
                             "_apt:x:42:65534::/nonexistent:/usr/sbin/nologin\n"
                             "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
static const char GROUP[] = "root:x:0:\ndaemon:x:1:\nbin:x:2:\nsys:x:3:\nadm:x:4:\ntty:x:5:\ndisk:x:6:\nmail:x:8:\nman:x:12:\n"
                            "www-data:x:33:\nshadow:x:42:\nutmp:x:43:\nstaff:x:50:\nusers:x:100:\nnogroup:x:65534:\n";

static void make_etc(int template) {
    make_dir(template, "etc", 0755);
    copy_directory("/etc", template, "etc", is_for_guests);
    int etc = open_dir(template, "etc");
    make_text(etc, "passwd", PASSWD, 0644);
    make_text(etc, "group", GROUP, 0644);
    make_text(etc, "shadow", "root:*:19000:0:99999:7:::\nnobody:*:19000:0:99999:7:::\n", 0600);
    make_text(etc, "gshadow", "root:*::\n", 0600);
    make_text(etc, "hostname", "sandbox\n", 0644);
    make_text(etc, "hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n", 0644);
    // The server loses no question: a second one, after glibc's 5 seconds, would only be asked and recorded twice.
    make_text(etc, "resolv.conf", "nameserver 10.0.2.3\noptions timeout:30\n", 0644);
    make_text(etc, "environment", "", 0644);
    make_text(etc, "fstab", "", 0644);
    make_text(etc, "machine-id", "", 0444);
    if (symlinkat("/proc/self/mounts", etc, "mtab") < 0)
        fail(EXIT_STEP, CHECK_DISK, "link /etc/mtab in the template");
    make_dir(etc, "profile.d", 0755);
    make_dir(etc, "apt", 0755);
    make_dir(etc, "apt/apt.conf.d", 0755);
    // Changing to the user _apt, or a log's group to adm, needs capabilities that nothing in a sandbox has.
    make_text(etc, "apt/apt.conf.d/99capsem", "APT::Sandbox::User \"root\";\nDir::Log::Terminal \"\";\n", 0644);
    close(etc);
}

static void make_var(int template) {
    static const char *const directories[] = {
        "backups", "cache", "cache/apt", "cache/apt/archives", "cache/apt/archives/partial", "cache/debconf", "cache/ldconfig", "cache/man",
        "lib", "lib/apt", "lib/apt/lists", "lib/apt/lists/partial", "lib/apt/mirrors", "lib/apt/mirrors/partial", "lib/apt/periodic",
        "lib/misc", "lib/pam", "lib/python", "lib/systemd", "lib/ucf", "lib/xml-core", "lib/sgml-base", "local", "log", "log/apt", "mail",
        "opt", "spool", "www",
    };
    make_dir(template, "var", 0755);
    int var = open_dir(template, "var");
    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        make_dir(var, directories[i], 0755);
    make_dir(var, "tmp", 01777);
    if (symlinkat("/run", var, "run") < 0 || symlinkat("/run/lock", var, "lock") < 0)
        fail(EXIT_STEP, CHECK_DISK, "link /run in the template");
    copy_directory("/var/lib/dpkg", var, "lib/dpkg", is_of_dpkg);
    copy_directory("/var/lib/rpm", var, "lib/rpm", any_entry);
    copy_directory("/var/lib/pacman", var, "lib/pacman", any_entry);
    copy_directory("/var/lib/alternatives", var, "lib/alternatives", any_entry);
    if (faccessat(var, "lib/dpkg", F_OK, 0) == 0) {
        make_dir(var, "lib/dpkg/updates", 0755);
        make_dir(var, "lib/dpkg/parts", 0755);
        // The host's overrides name users that do not exist here, which dpkg calls fatal.
        make_text(var, "lib/dpkg/statoverride", "", 0644);
    }
    int apt = open_dir(AT_FDCWD, "/var/lib/apt");
    struct stat status;
    if (apt >= 0 && fstatat(apt, "extended_states", &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
        everybody_may_read(&status)) {
        int target = open_dir(var, "lib/apt");
        copy_file(apt, target, "extended_states", &status);
        close(target);
    }
    if (apt >= 0)
        close(apt);
    close(var);
}

// --- stamp and command ---

static uint64_t mix(uint64_t hash, const void *bytes, size_t length) { // FNV-1a
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

// What a template is made from, as far as it may change.
static const char *const facts[] = {
    "/var/lib/dpkg/status", "/var/lib/rpm",  "/usr/lib/sysimage/rpm", "/var/lib/pacman/local", "/etc/os-release",
    "/etc/alternatives",    "/etc/apt",      "/etc/pip.conf",         "/etc/npmrc",            "/etc/ssl/certs/ca-certificates.crt",
    "/usr",                 "/usr/bin",      "/usr/lib",              "/usr/share",            "/usr/local",
    "/usr/local/bin",       "/usr/local/lib", "/usr/local/share",     "/usr/local/etc",        "/opt",
};

// Names the state of these facts: another stamp, another template.
static void stamp(char *text, size_t size) {
    uint64_t hash = mix(0xcbf29ce484222325u, CAPSEM_VERSION " " TEMPLATE_FORMAT, sizeof CAPSEM_VERSION " " TEMPLATE_FORMAT);
    uid_t owner = geteuid();
    hash = mix(hash, &owner, sizeof owner);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct stat status;
        if (stat(facts[i], &status) < 0)
            continue;
        hash = mix(hash, facts[i], strlen(facts[i]));
        hash = mix(hash, &status.st_mtim, sizeof status.st_mtim);
        hash = mix(hash, &status.st_size, sizeof status.st_size);
    }
    snprintf(text, size, "%016llx", (unsigned long long)hash);
}

static void build(const char *out) {
    char temporary[PATH_MAX], text[32];
    struct stat status;
    if (snprintf(temporary, sizeof temporary, "%s.new.%d", out, getpid()) >= (int)sizeof temporary)
        refuse(EXIT_USAGE, "use a shorter path", "template: the path is too long");
    if (mkdir(temporary, 0755) < 0)
        fail(EXIT_STEP, CHECK_DISK, "create %s", temporary);
    int template = open_dir(AT_FDCWD, temporary);
    if (template < 0)
        fail(EXIT_STEP, CHECK_DISK, "open %s", temporary);
    stamp(text, sizeof text);
    make_rootfs(template);
    make_etc(template);
    make_var(template);
    make_skeleton(template, "/usr", "usr", "local");
    make_skeleton(template, "/usr/local", "usr-local", NULL);
    make_skeleton(template, "/opt", "opt", NULL);
    make_text(template, "stamp", text, 0644);
    close(template);
    if (rename(temporary, out) < 0)
        fail(EXIT_STEP, stat(out, &status) == 0 ? "another process made it; remove the .new directory" : CHECK_DISK, "finish %s", out);
}

int launch_template(int argc, char **argv) {
    static const struct option options[] = {{"out", required_argument, NULL, 1}, {"stamp", no_argument, NULL, 2}, {0}};
    const char *out = NULL;
    char text[32];
    for (int option; (option = getopt_long(argc + 1, argv - 1, "", options, NULL)) != -1;) {
        if (option == 2) {
            // The facts follow, so that the caller sees for itself whether it must ask again.
            stamp(text, sizeof text);
            puts(text);
            for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
                puts(facts[i]);
            return 0;
        }
        if (option != 1)
            refuse(EXIT_USAGE, "use: capsem-launch template --out DIRECTORY | --stamp", "template: unknown option");
        out = optarg;
    }
    if (out == NULL)
        refuse(EXIT_USAGE, "use: capsem-launch template --out DIRECTORY | --stamp", "template: no directory");
    umask(022);
    int existing = open_dir(AT_FDCWD, out);
    if (existing >= 0 && faccessat(existing, "stamp", F_OK, 0) == 0)
        return 0;
    build(out);
    return 0;
}
