#include "exec_facts.h"

#include "spawn.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
    WINDOW = 4096,
    TERMINAL_MAJOR = 136, /* of the first 256 pseudo-terminals */
};

/*
 * A process's memory, and the part of it that was read last: arguments lie side by side. A command of the host's still
 * runs on the agent's own memory, which nobody may open, the agent included.
 */
struct memory {
    int fd;
    bool is_ours;
    uint64_t start;
    size_t length;
    char bytes[WINDOW];
};

static void open_memory(struct memory *memory, pid_t pid, const struct seccomp_data *call)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    memory->is_ours = call->nr == SYS_execve && spawn_hold_memory(pid, call->args[0], call->args[1]);
    memory->fd = memory->is_ours ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    memory->length = 0;
}

static void close_memory(const struct memory *memory)
{
    if (memory->is_ours)
        spawn_release_memory();
    else if (memory->fd >= 0)
        close(memory->fd);
}

static bool is_readable(const struct memory *memory)
{
    return memory->is_ours || memory->fd >= 0;
}

static ssize_t read_memory(const struct memory *memory, uint64_t address, void *out, size_t size)
{
    if (!memory->is_ours)
        return pread(memory->fd, out, size, (off_t)address);
    memcpy(out, (const void *)(uintptr_t)address, size);
    return (ssize_t)size;
}

static void fill(struct memory *memory, uint64_t address)
{
    memory->start = address;
    memory->length = 0;
    /* Up to the end of a page: the next one may not be there. */
    size_t room = WINDOW - (size_t)(address % WINDOW);
    ssize_t count = read_memory(memory, address, memory->bytes, room);
    if (count > 0)
        memory->length = (size_t)count;
}

/* Copies at most `capacity` - 1 bytes and a NUL. Answers false when the first byte cannot be read. */
static bool copy_string(struct memory *memory, uint64_t address, char *out, size_t capacity, bool *cut)
{
    size_t written = 0;
    *cut = false;
    while (written + 1 < capacity) {
        if (address < memory->start || address - memory->start >= memory->length) {
            fill(memory, address);
            if (memory->length == 0) {
                out[written] = '\0';
                *cut = true;
                return written > 0;
            }
        }
        char byte = memory->bytes[address - memory->start];
        out[written] = byte;
        if (byte == '\0')
            return true;
        written++;
        address++;
    }
    out[written] = '\0';
    *cut = true;
    return true;
}

static void copy_arguments(struct exec_facts *facts, struct memory *memory, uint64_t vector)
{
    size_t used = 0;
    for (; vector != 0; vector += sizeof(uint64_t)) {
        uint64_t address = 0;
        if (read_memory(memory, vector, &address, sizeof address) != sizeof address) {
            facts->flags |= facts->argument_count == 0 ? EXECED_UNREADABLE : EXECED_CUT;
            return;
        }
        if (address == 0)
            return;
        bool cut;
        if (facts->argument_count == EXECED_ARGUMENTS_MAX || EXECED_ARGUMENT_BYTES_MAX - used < 2 ||
            !copy_string(memory, address, facts->arguments + used, EXECED_ARGUMENT_BYTES_MAX - used, &cut)) {
            facts->flags |= EXECED_CUT;
            return;
        }
        if (cut)
            facts->flags |= EXECED_CUT;
        facts->argument_count++;
        used += strlen(facts->arguments + used) + 1;
    }
}

static void read_link(char *out, size_t capacity, pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ssize_t length = readlink(path, out, capacity - 1);
    out[length > 0 ? length : 0] = '\0';
}

static void read_ancestry(struct exec_facts *facts)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%u/stat", facts->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t length = read(fd, text, sizeof text - 1);
    struct stat owner;
    if (fstat(fd, &owner) == 0)
        facts->uid = owner.st_uid;
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    /* The name in parentheses is the guest's choice and may itself hold ") "; the fields follow the last one. */
    const char *fields = strrchr(text, ')');
    int parent, session, terminal;
    if (fields == NULL || sscanf(fields + 1, " %*c %d %*d %d %d", &parent, &session, &terminal) != 3)
        return;
    facts->parent = (uint32_t)parent;
    facts->session = (uint32_t)session;
    if (major((dev_t)terminal) == TERMINAL_MAJOR)
        snprintf(facts->terminal, sizeof facts->terminal, "pts/%u", minor((dev_t)terminal));
}

/* Where the program lies, or will not be found. */
static void read_program(struct exec_facts *facts, struct memory *memory, const struct seccomp_data *call)
{
    static char given[EXECED_PATH_MAX];
    char directory[32] = "cwd";
    uint64_t path = call->args[0];
    bool cut = false;
    if (call->nr == SYS_execveat) {
        path = call->args[1];
        if ((int)call->args[0] != AT_FDCWD)
            snprintf(directory, sizeof directory, "fd/%d", (int)call->args[0]);
    }
    given[0] = '\0';
    if (is_readable(memory))
        copy_string(memory, path, given, sizeof given, &cut);
    if (given[0] == '/') {
        snprintf(facts->program, sizeof facts->program, "%s", given);
        return;
    }
    read_link(facts->program, sizeof facts->program, (pid_t)facts->pid, directory);
    size_t length = strlen(facts->program);
    if (given[0] != '\0')
        snprintf(facts->program + length, sizeof facts->program - length, "/%s", given);
}

static bool can_start(const char *program)
{
    struct stat found;
    /* A program without a name that can be looked up (memfd, deleted) starts all the same. */
    if (program[0] != '/' || strncmp(program, "/memfd:", 7) == 0 || strstr(program, " (deleted)") != NULL)
        return true;
    return stat(program, &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & 0111) != 0;
}

bool exec_facts_read(struct exec_facts *facts, pid_t pid, const struct seccomp_data *call)
{
    static struct memory memory;
    *facts = (struct exec_facts){.pid = (uint32_t)pid};
    open_memory(&memory, pid, call);
    read_program(facts, &memory, call);
    bool starts = !is_readable(&memory) || can_start(facts->program);
    if (starts) {
        read_ancestry(facts);
        read_link(facts->directory, sizeof facts->directory, pid, "cwd");
        if (facts->parent > 1)
            read_link(facts->parent_program, sizeof facts->parent_program, (pid_t)facts->parent, "exe");
        if (is_readable(&memory))
            copy_arguments(facts, &memory, call->args[call->nr == SYS_execveat ? 2 : 1]);
        else
            facts->flags |= EXECED_UNREADABLE;
    }
    close_memory(&memory);
    return starts;
}
