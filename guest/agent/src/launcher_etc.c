// What of the host's /etc every guest reads: what its programs need in order to run, by name. Everything else stays
// outside, however public it is: nobody knows what a file of that directory holds.
#include "launcher.h"

#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Patterns of paths below /etc; what is below them comes along.
static const char *const NAMED[] = {
    // The C library, accounts, time and language.
    "ld.so.*", "nsswitch.conf", "host.conf", "gai.conf", "protocols", "services", "rpc", "networks", "netconfig", "ethertypes", "localtime",
    "timezone", "locale.*", "default/locale", "default/useradd", "login.defs", "adduser.conf", "deluser.conf", "shells", "skel", "pam.conf",
    "pam.d", "security", "libaudit.conf", "bindresvport.blacklist", "xattr.conf",
    // Which system this is.
    "os-release", "*-release", "*_version", "dpkg", "debconf.conf", "ucf.conf", "rpm", "crypto-policies",
    // Trust; files that hold a private key stay outside.
    "ca-certificates", "ca-certificates.conf", "ssl/certs", "ssl/*.cnf", "ssl/cert.pem", "ssl/ca-bundle.pem", "pki/tls/certs", "pki/tls/cert.pem",
    "pki/tls/*.cnf", "pki/ca-trust", "pki/java", "pki/rpm-gpg", "gnutls", "ssh/moduli",
    // Package sources' keys; the sources themselves are below.
    "apt/trusted.gpg", "apt/trusted.gpg.d", "apt/keyrings", "apt/listchanges*",
    // Programs and languages.
    "alternatives", "java", "java-*", ".java", "jvm", "jvm-*", "python", "python[0-9]*", "perl", "lua", "lua[0-9]*", "mono", "maven/m2.conf",
    "maven/logging", "gdb", "groff", "magic", "magic.mime", "mime.types", "mailcap", "mailcap.order", "manpath.config", "man_db.conf",
    "mke2fs.conf", "iproute2", "terminfo", "texmf", "inputrc", "nanorc", "bash_completion", "bash_completion.d", "fonts", "X11", "xml", "sgml",
    "gtk-*", "glvnd", "vulkan", "OpenCL", "ImageMagick-*", "rmt", "gprofng.rc", "DIR_COLORS*", "debuginfod",
    // Of the files that a login reads, those of distributions.
    "profile.d/bash_completion.sh", "profile.d/lang.*", "profile.d/color*.*", "profile.d/less.*", "profile.d/which2.*", "profile.d/gawk.*",
    "profile.d/vim*.*", "profile.d/debuginfod.*",
};

// Settings that name mirrors, certificates and habits, and may name credentials beside them: whole, or not at all.
static const char *const WITHOUT_CREDENTIALS[] = {
    "apt/sources.list", "apt/sources.list.d", "apt/apt.conf", "apt/apt.conf.d", "apt/preferences", "apt/preferences.d", "yum.conf",
    "yum.repos.d", "yum", "dnf", "zypp", "pacman.conf", "pacman.d", "npmrc", "pip.conf", "gitconfig", "wgetrc", "maven/settings.xml",
    "maven/toolchains.xml", "profile", "bash.bashrc", "bashrc", "zsh", "zshrc", "zshenv", "zprofile", "csh.cshrc", "csh.login", "vim", "vimrc",
    "virc", "emacs", "screenrc", "tmux.conf", "xdg", "ssh/ssh_config", "ssh/ssh_config.d", "php", "ruby", "ruby[0-9]*", "gemrc", "R", "dotnet",
    "ant", "ant.conf",
};

static const char *const NEVER[] = {"security/opasswd*", "*.key", "*.swp", "*~"};

// Larger settings are nothing that we know.
#define SETTINGS_BYTES_MAX (256 * 1024)

static bool is_among(const char *path, const char *const *patterns, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], path, FNM_PATHNAME | FNM_LEADING_DIR) == 0)
            return true;
    return false;
}

// The last name alone decides about what never comes, wherever it is.
static bool is_never(const char *name, const char *path) {
    size_t count = sizeof NEVER / sizeof NEVER[0];
    return is_among(path, NEVER, count) || is_among(name, NEVER, count);
}

static bool leads_to_one(const char *path, const char *const *patterns, size_t count) {
    size_t length = strlen(path);
    for (size_t i = 0; i < count; i++)
        if (strncmp(patterns[i], path, length) == 0 && patterns[i][length] == '/')
            return true;
    return false;
}

// Blanks out lines that begin as comments, and comments of XML; what remains becomes lower case.
static void keep_settings(char *text) {
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        char *first = line + strspn(line, " \t");
        if (*first == '#' || *first == ';')
            memset(line, ' ', end != NULL ? (size_t)(end - line) : strlen(line));
        line = end != NULL ? end + 1 : NULL;
    }
    for (char *start = text; (start = strstr(start, "<!--")) != NULL;) {
        char *end = strstr(start, "-->");
        if (end == NULL)
            break;
        memset(start, ' ', (size_t)(end + 3 - start));
    }
    for (char *letter = text; *letter != '\0'; letter++)
        *letter = (char)tolower((unsigned char)*letter);
}

static bool has_user_in_url(const char *text) {
    for (const char *url = text; (url = strstr(url, "://")) != NULL;) {
        url += 3;
        if (url[strcspn(url, "@/ \t\r\n\"'<>")] == '@')
            return true;
    }
    return false;
}

static bool names_credentials(const char *text) {
    static const char *const words[] = {
        "password", "passwd", "default_pw", "token", "secret", "_auth", "credential", "apikey", "api_key", "api-key", "access_key", "accesskey",
        "authorization", "bearer", "private key",
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i]) != NULL)
            return true;
    return has_user_in_url(text);
}

static bool is_without_credentials(int from, const char *name) {
    int file = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = calloc(1, SETTINGS_BYTES_MAX + 1);
    size_t length = 0;
    bool whole = false;
    while (file >= 0 && text != NULL && length < SETTINGS_BYTES_MAX && !whole) {
        ssize_t count = read(file, text + length, SETTINGS_BYTES_MAX - length);
        if (count < 0)
            break;
        length += (size_t)count;
        whole = count == 0;
    }
    if (whole)
        keep_settings(text);
    bool clean = whole && memchr(text, '\0', length) == NULL && !names_credentials(text);
    free(text);
    if (file >= 0)
        close(file);
    return clean;
}

// A certificate's file may hold its key as well. PEM says so in words; key stores that hide their keys have passwords.
static bool holds_private_key(int from, const char *name, off_t size) {
    if (size == 0)
        return false;
    int file = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return true;
    void *text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (text == MAP_FAILED)
        return true;
    bool found = memmem(text, (size_t)size, "PRIVATE KEY-----", 16) != NULL;
    munmap(text, (size_t)size);
    return found;
}

bool is_for_guests(int from, const char *name, const char *path, const struct stat *status) {
    size_t named = sizeof NAMED / sizeof NAMED[0];
    size_t checked = sizeof WITHOUT_CREDENTIALS / sizeof WITHOUT_CREDENTIALS[0];
    if (is_never(name, path))
        return false;
    if (is_among(path, NAMED, named))
        return !S_ISREG(status->st_mode) || !holds_private_key(from, name, status->st_size);
    bool settings = is_among(path, WITHOUT_CREDENTIALS, checked);
    if (S_ISDIR(status->st_mode))
        return settings || leads_to_one(path, NAMED, named) || leads_to_one(path, WITHOUT_CREDENTIALS, checked);
    return settings && (!S_ISREG(status->st_mode) || is_without_credentials(from, name));
}
