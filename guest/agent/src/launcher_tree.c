// capsem-launch signal-tree: stops, continues or kills a process and all its descendants. The sandbox's pid 1 adopts
// every orphan, so the descendants of bwrap are the whole sandbox.
#include "launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Processes looked at in one round: beyond the kernel's default of 32768 pids.
#define PROCESSES_MAX 65536
// A tree that still runs after this many rounds forks faster than it can be stopped.
#define ROUNDS_MAX 500

struct process {
    pid_t pid, parent;
    unsigned long long start;
    bool in_tree;
};

static struct process processes[PROCESSES_MAX];
static size_t process_count;

// Reads state, parent and start time; the name may hold anything, so the fields count from the last parenthesis.
static bool read_stat(const char *path, char *state, pid_t *parent, unsigned long long *start) {
    char text[1024];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    const char *fields = strrchr(text, ')');
    return fields != NULL && sscanf(fields + 1,
                                    " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", state,
                                    parent, start) == 3;
}

enum stillness {
    RUNNING,
    IN_KERNEL, // every thread is stopped or deep in the kernel, where a stop signal waits for its return
    STOPPED,   // every thread is stopped or dead
};

static enum stillness stillness_of(pid_t pid) {
    char path[64], state;
    pid_t parent;
    unsigned long long start;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    if (tasks == NULL)
        return errno == ENOENT || errno == ESRCH ? STOPPED : RUNNING;
    enum stillness stillness = STOPPED;
    // Every thread, not only the first: that one may be dead while others run.
    for (struct dirent *task; stillness != RUNNING && (task = readdir(tasks)) != NULL;) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.16s/stat", pid, task->d_name);
        if (!read_stat(path, &state, &parent, &start) || strchr("TtZX", state) != NULL)
            continue;
        stillness = state == 'D' ? IN_KERNEL : RUNNING;
    }
    closedir(tasks);
    return stillness;
}

static int by_pid(const void *left, const void *right) {
    pid_t a = ((const struct process *)left)->pid, b = ((const struct process *)right)->pid;
    return (a > b) - (a < b);
}

static void scan(void) {
    char path[64], state;
    process_count = 0;
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        fail(EXIT_STEP, "mount /proc", "read /proc");
    for (struct dirent *entry; process_count < PROCESSES_MAX && (entry = readdir(proc)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        struct process *process = &processes[process_count];
        *process = (struct process){.pid = pid};
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        if (pid > 0 && read_stat(path, &state, &process->parent, &process->start))
            process_count++;
    }
    closedir(proc);
    qsort(processes, process_count, sizeof processes[0], by_pid);
}

static void mark_tree(pid_t root) {
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < process_count; i++) {
            if (processes[i].in_tree)
                continue;
            const struct process key = {.pid = processes[i].parent};
            const struct process *parent = bsearch(&key, processes, process_count, sizeof processes[0], by_pid);
            if (processes[i].pid == root || (parent != NULL && parent->in_tree))
                processes[i].in_tree = grew = true;
        }
    }
}

// By pidfd and start time, so that a pid that was given to somebody else meanwhile is left alone.
static void send_signal(const struct process *process, int signal) {
    char path[64], state;
    pid_t parent;
    unsigned long long start;
    int descriptor = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (descriptor < 0)
        return;
    snprintf(path, sizeof path, "/proc/%d/stat", process->pid);
    if (read_stat(path, &state, &parent, &start) && start == process->start)
        syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0);
    close(descriptor);
}

// A stopped root starts no more children while the others are being found; pid 1 of the sandbox takes all of it
// along.
static void kill_tree(const struct process *root) {
    send_signal(root, SIGSTOP);
    scan();
    mark_tree(root->pid);
    for (size_t i = 0; i < process_count; i++)
        if (processes[i].in_tree)
            send_signal(&processes[i], SIGKILL);
}

static void continue_tree(pid_t root) {
    scan();
    mark_tree(root);
    for (size_t i = 0; i < process_count; i++)
        if (processes[i].in_tree)
            send_signal(&processes[i], SIGCONT);
}

// Rounds of stop signals until one finds everything still: from then on nobody is left who could continue anybody.
static int stop_tree(pid_t root) {
    // Twice in a row: a process found stopped may have forked between the first look at the table and its stop.
    for (int round = 0, still_rounds = 0; round < ROUNDS_MAX; round++) {
        bool still = true;
        scan();
        mark_tree(root);
        for (size_t i = 0; i < process_count; i++) {
            if (!processes[i].in_tree)
                continue;
            enum stillness stillness = stillness_of(processes[i].pid);
            if (stillness != STOPPED)
                send_signal(&processes[i], SIGSTOP);
            still = still && stillness != RUNNING;
        }
        still_rounds = still ? still_rounds + 1 : 0;
        if (still_rounds == 2)
            return 0;
        if (!still)
            nanosleep(&(struct timespec){.tv_nsec = 500 * 1000}, NULL);
    }
    refuse(EXIT_STEP, "stop the sandbox instead", "the sandbox does not hold still");
}

int launch_signal_tree(int argc, char **argv) {
    static const struct option options[] = {
        {"pid", required_argument, NULL, 1}, {"start-ticks", required_argument, NULL, 2}, {0}};
    pid_t root = 0, parent;
    unsigned long long expected = 0, start;
    char path[64], state;
    for (int option; (option = getopt_long(argc + 1, argv - 1, "", options, NULL)) != -1;) {
        if (option == 1)
            root = (pid_t)strtol(optarg, NULL, 10);
        else if (option == 2)
            expected = strtoull(optarg, NULL, 10);
        else
            refuse(EXIT_USAGE, "use: capsem-launch signal-tree --pid P --start-ticks T stop|cont|kill", "signal-tree: bad option");
    }
    if (root <= 1 || optind != argc)
        refuse(EXIT_USAGE, "use: capsem-launch signal-tree --pid P --start-ticks T stop|cont|kill", "signal-tree: no process");
    snprintf(path, sizeof path, "/proc/%d/stat", root);
    if (!read_stat(path, &state, &parent, &start) || start != expected)
        return 0; // Over already.
    const char *action = argv[optind - 1];
    if (strcmp(action, "stop") == 0)
        return stop_tree(root);
    if (strcmp(action, "cont") == 0)
        continue_tree(root);
    else if (strcmp(action, "kill") == 0)
        kill_tree(&(struct process){.pid = root, .start = start});
    else
        refuse(EXIT_USAGE, "one of: stop, cont, kill", "signal-tree: unknown action");
    return 0;
}
