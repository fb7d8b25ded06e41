#include "caller.h"

#include "script.h"
#include "utf8.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    /* A sandbox with more sockets or processes than this gets "unknown" rather than a slow connection. */
    TABLE_BYTES_MAX = 4194304,
    BUDGET_MICROS = 20000,
    /* Of a command line, in which a script stands early. */
    ARGUMENTS_MAX = 4096,
};

struct socket_row {
    struct sockaddr_in local;
    struct sockaddr_in remote;
    unsigned long inode;
};

/* "0F02000A:1F90" or, for IPv6 sockets, 32 digits that must be a mapped IPv4 address or the wildcard. */
static bool parse_address(const char *text, struct sockaddr_in *address)
{
    static const char MAPPED[] = "0000000000000000FFFF0000";
    static const char WILDCARD[] = "000000000000000000000000";
    size_t digits = strcspn(text, ":");
    if (digits == 32) {
        if (strncmp(text, MAPPED, 24) != 0 && strncmp(text, WILDCARD, 24) != 0)
            return false;
        text += 24;
    } else if (digits != 8) {
        return false;
    }
    unsigned host, port;
    if (sscanf(text, "%8X:%4X", &host, &port) != 2)
        return false;
    /* The kernel prints the address word as it lies in memory, the port as a number. */
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = host, .sin_port = htons((uint16_t)port)};
    return true;
}

static bool parse_row(const char *line, struct socket_row *row)
{
    char local[48], remote[48];
    if (sscanf(line, " %*d: %47s %47s %*x %*s %*s %*s %*u %*u %lu", local, remote, &row->inode) != 3)
        return false;
    /* A remote IPv6 address is nobody's business here. */
    if (!parse_address(remote, &row->remote))
        row->remote = (struct sockaddr_in){0};
    return row->inode != 0 && parse_address(local, &row->local);
}

static bool is_bound_to(const struct socket_row *row, enum caller_protocol protocol, const struct sockaddr_in *local)
{
    if (row->local.sin_port != local->sin_port)
        return false;
    if (row->local.sin_addr.s_addr == local->sin_addr.s_addr)
        return true;
    return protocol == CALLER_UDP && row->local.sin_addr.s_addr == htonl(INADDR_ANY);
}

static bool find_in_table(const char *path, enum caller_protocol protocol, const struct sockaddr_in *local,
                          struct socket_row *row)
{
    FILE *table = fopen(path, "re");
    if (table == NULL)
        return false;
    char line[512];
    size_t seen = 0;
    bool found = false;
    while (!found && seen < TABLE_BYTES_MAX && fgets(line, sizeof line, table) != NULL) {
        seen += strlen(line);
        found = parse_row(line, row) && is_bound_to(row, protocol, local);
    }
    fclose(table);
    return found;
}

static bool find_socket(enum caller_protocol protocol, const struct sockaddr_in *local, struct socket_row *row)
{
    /* Programs with dual-stack sockets (Java, Go, Node) reach IPv4 addresses through IPv6 sockets. */
    const char *table = protocol == CALLER_TCP ? "/proc/net/tcp" : "/proc/net/udp";
    const char *table6 = protocol == CALLER_TCP ? "/proc/net/tcp6" : "/proc/net/udp6";
    return find_in_table(table, protocol, local, row) || find_in_table(table6, protocol, local, row);
}

static bool process_holds(const char *pid, unsigned long inode)
{
    char path[64];
    char wanted[40];
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    int wanted_length = snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    DIR *directory = opendir(path);
    if (directory == NULL)
        return false;
    bool holds = false;
    struct dirent *entry;
    while (!holds && (entry = readdir(directory)) != NULL) {
        char target[64];
        ssize_t length = readlinkat(dirfd(directory), entry->d_name, target, sizeof target);
        holds = length == wanted_length && memcmp(target, wanted, (size_t)length) == 0;
    }
    closedir(directory);
    return holds;
}

void caller_clean_name(char *clean, const char *name, size_t length)
{
    size_t written = 0;
    for (size_t at = 0; at < length;) {
        size_t character = utf8_character((const uint8_t *)name + at, length - at);
        bool plain = character > 0 && (unsigned char)name[at] > ' ' && name[at] != 0x7F;
        /* U+0080..U+009F are control characters too. */
        if (character == 2 && (unsigned char)name[at] == 0xC2 && (unsigned char)name[at + 1] < 0xA0)
            plain = false;
        size_t step = character > 0 ? character : 1;
        if (written + (plain ? step : 1) > CALLER_NAME_MAX)
            break;
        if (plain)
            memcpy(clean + written, name + at, step);
        else
            clean[written] = '_';
        written += plain ? step : 1;
        at += step;
    }
    clean[written] = '\0';
}

static bool read_name(const char *pid, char *name)
{
    char path[64];
    char text[64];
    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, sizeof text);
    close(fd);
    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (length <= 0)
        return false;
    caller_clean_name(name, text, (size_t)length);
    return true;
}

/* Whether these bytes are a path that fits, without anything that could end its line. */
static bool is_told(const char *path, ssize_t length)
{
    bool told = length > 0 && length <= CALLER_PATH_MAX && path[0] == '/';
    for (ssize_t at = 0; told && at < length; at++)
        told = (unsigned char)path[at] > ' ' && path[at] != 0x7F;
    return told;
}

/* A program that was deleted or replaced while it runs has " (deleted)" behind its path; that is no path. */
static void read_path(const char *pid, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/%.20s/exe", pid);
    ssize_t length = readlink(link, path, CALLER_PATH_MAX + 1);
    path[is_told(path, length) ? length : 0] = '\0';
}

/* What is not typed from the root is meant from the directory that the program is in now. */
static void read_script(const char *pid, const char *executable, char *script)
{
    char file[64];
    char arguments[ARGUMENTS_MAX];
    snprintf(file, sizeof file, "/proc/%.20s/cmdline", pid);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t length = read(fd, arguments, sizeof arguments);
    close(fd);
    const char *typed = length > 0 ? script_among(executable, arguments, (size_t)length) : NULL;
    if (typed == NULL)
        return;
    ssize_t directory = 0;
    if (typed[0] != '/') {
        snprintf(file, sizeof file, "/proc/%.20s/cwd", pid);
        directory = readlink(file, script, CALLER_PATH_MAX);
        if (directory <= 0)
            return;
        if (script[directory - 1] != '/')
            script[directory++] = '/';
        if (strncmp(typed, "./", 2) == 0)
            typed += 2;
    }
    ssize_t whole = directory + (ssize_t)strlen(typed);
    if (whole <= CALLER_PATH_MAX)
        memcpy(script + directory, typed, strlen(typed));
    script[is_told(script, whole) ? whole : 0] = '\0';
}

static bool describe(const char *pid, struct caller *caller)
{
    if (!read_name(pid, caller->name))
        return false;
    read_path(pid, caller->path);
    caller->script[0] = '\0';
    read_script(pid, caller->path, caller->script);
    return true;
}

/* The search is bounded by its work, not by the clock: on a busy host it would end before it began. */
static uint64_t worked_micros(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void caller_find(enum caller_protocol protocol, const struct sockaddr_in *local, struct caller *caller)
{
    /* Most connections in a row come from one process; used by the redirect thread only. */
    static char last_pid[24];

    *caller = (struct caller){.name = "unknown"};
    struct socket_row row;
    if (!find_socket(protocol, local, &row))
        return;
    caller->remote = row.remote;
    if (last_pid[0] != '\0' && process_holds(last_pid, row.inode) && describe(last_pid, caller))
        return;
    DIR *directory = opendir("/proc");
    if (directory == NULL)
        return;
    uint64_t deadline = worked_micros() + BUDGET_MICROS;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL && worked_micros() < deadline) {
        if (!isdigit((unsigned char)entry->d_name[0]) || !process_holds(entry->d_name, row.inode))
            continue;
        if (describe(entry->d_name, caller))
            snprintf(last_pid, sizeof last_pid, "%.20s", entry->d_name);
        break;
    }
    closedir(directory);
}
