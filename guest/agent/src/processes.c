#include "processes.h"

#include "arena.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PROCESSES_MAX = 65536,
    /* Forks between two looks are rare once everybody found is stopped; this bounds a fork bomb that outruns us. */
    ROUNDS_MAX = 10,
    SWEEPS_MAX = 3,
};

struct process {
    pid_t pid;
    pid_t parent;
    pid_t group;
    pid_t session;
    bool zombie;
    bool member;
};

struct process_table {
    struct process *rows;
    size_t count;
    size_t capacity;
};

static bool read_row(const char *name, struct process *row)
{
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return false;
    text[length] = '\0';
    /* The name in parentheses is the guest's choice and may itself hold ") "; the fields follow the last one. */
    const char *fields = strrchr(text, ')');
    char state;
    int parent, group, session;
    if (fields == NULL || sscanf(fields + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4)
        return false;
    *row = (struct process){
        .pid = atoi(name), .parent = parent, .group = group, .session = session, .zombie = state == 'Z' || state == 'X'};
    return true;
}

static void look(struct process_table *table)
{
    table->count = 0;
    DIR *directory = opendir("/proc");
    if (directory == NULL)
        return;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL && table->count < PROCESSES_MAX) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (table->count == table->capacity) {
            table->capacity = table->capacity == 0 ? 256 : table->capacity * 2;
            table->rows = must_reallocate(table->rows, table->capacity * sizeof *table->rows);
        }
        if (read_row(entry->d_name, &table->rows[table->count]))
            table->count++;
    }
    closedir(directory);
}

static struct process *find(struct process_table *table, pid_t pid)
{
    /* /proc lists pids in rising order. */
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->rows[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && table->rows[low].pid == pid ? &table->rows[low] : NULL;
}

static void mark_members(struct process_table *table, pid_t leader)
{
    for (size_t i = 0; i < table->count; i++) {
        struct process *row = &table->rows[i];
        row->member = row->pid == leader || row->session == leader || row->group == leader;
    }
    /* Children may have lower pids than their parents after a wrap: go on until nothing changes. */
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < table->count; i++) {
            struct process *row = &table->rows[i];
            struct process *parent = row->member || row->parent <= 1 ? NULL : find(table, row->parent);
            if (parent != NULL && parent->member) {
                row->member = true;
                changed = true;
            }
        }
    }
}

static size_t signal_members(struct process_table *table, int signal)
{
    size_t signalled = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct process *row = &table->rows[i];
        /* Against a guest that makes 1 or 0 show up as a member: those would mean ourselves and our own group. */
        if (row->member && !row->zombie && row->pid > 1 && kill(row->pid, signal) == 0)
            signalled++;
    }
    return signalled;
}

/* Stops members until a look finds no new one, so that nobody forks or loses its parent while we look. */
static size_t stop_members(struct process_table *table, pid_t leader)
{
    size_t before = 0;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        look(table);
        mark_members(table, leader);
        size_t members = signal_members(table, SIGSTOP);
        if (members == before)
            break;
        before = members;
    }
    return before;
}

void processes_kill_tree(pid_t leader)
{
    struct process_table table = {0};
    for (int sweep = 0; sweep < SWEEPS_MAX && stop_members(&table, leader) > 0; sweep++)
        signal_members(&table, SIGKILL);
    kill(-leader, SIGKILL);
    free(table.rows);
}
