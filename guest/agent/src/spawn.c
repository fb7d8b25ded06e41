#include "spawn.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The child runs on the parent's memory (vfork) until it execs: only system calls here, no allocation, no locks.
 * The parent stands still meanwhile, so errors come back through the struct itself.
 */

/* Guards what the child runs on: the parent goes on only when nobody reads it. The child never takes it. */
static pthread_mutex_t memory = PTHREAD_MUTEX_INITIALIZER;
static const struct spawn *current;
static atomic_int child;

static _Noreturn void give_up(struct spawn *spawn, enum spawn_step step)
{
    spawn->failed_step = step;
    spawn->error = errno;
    _exit(127);
}

static void lower_limit(struct spawn *spawn, int resource, uint64_t wanted)
{
    if (wanted == 0)
        return;
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) < 0)
        give_up(spawn, SPAWN_PREPARE);
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted)
        limit.rlim_max = wanted;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit((__rlimit_resource_t)resource, &limit) < 0)
        give_up(spawn, SPAWN_PREPARE);
}

static void reset_signals(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void prepare(struct spawn *spawn)
{
    if (setsid() < 0)
        give_up(spawn, SPAWN_PREPARE);
    if (spawn->has_terminal && ioctl(spawn->fds[1], TIOCSCTTY, 0) < 0)
        give_up(spawn, SPAWN_PREPARE);
    for (int i = 0; i < 3; i++)
        if (dup2(spawn->fds[i], i) < 0)
            give_up(spawn, SPAWN_PREPARE);
    if (close_range(3, ~0U, 0) < 0)
        give_up(spawn, SPAWN_PREPARE);
    lower_limit(spawn, RLIMIT_DATA, spawn->limits->data_bytes);
    lower_limit(spawn, RLIMIT_NPROC, spawn->limits->processes);
    lower_limit(spawn, RLIMIT_NOFILE, spawn->limits->descriptors);
    umask(022);
}

static _Noreturn void run_child(struct spawn *spawn)
{
    prepare(spawn);
    if (chdir("/root") < 0 || chdir(spawn->cwd) < 0)
        give_up(spawn, SPAWN_CWD);
    reset_signals();
    atomic_store(&child, getpid());
    int best = ENOENT;
    for (char **candidate = spawn->candidates; *candidate != NULL; candidate++) {
        execve(*candidate, spawn->argv, spawn->environment);
        if (errno != ENOENT && errno != ENOTDIR)
            best = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            break;
    }
    errno = best;
    give_up(spawn, SPAWN_EXEC);
}

static _Noreturn void run_internal(struct spawn *spawn)
{
    prepare(spawn);
    reset_signals();
    _exit(spawn->internal(spawn->argv));
}

static bool is_candidate(const struct spawn *spawn, uint64_t path)
{
    for (char **candidate = spawn->candidates; *candidate != NULL; candidate++)
        if ((uint64_t)(uintptr_t)*candidate == path)
            return true;
    return false;
}

bool spawn_hold_memory(pid_t pid, uint64_t path, uint64_t argv)
{
    pthread_mutex_lock(&memory);
    bool is_ours = current != NULL && current->internal == NULL && pid == atomic_load(&child) &&
                   argv == (uint64_t)(uintptr_t)current->argv && is_candidate(current, path);
    if (!is_ours)
        pthread_mutex_unlock(&memory);
    return is_ours;
}

void spawn_release_memory(void)
{
    pthread_mutex_unlock(&memory);
}

static void set_current(const struct spawn *spawn)
{
    pthread_mutex_lock(&memory);
    current = spawn;
    atomic_store(&child, 0);
    pthread_mutex_unlock(&memory);
}

pid_t spawn_run(struct spawn *spawn)
{
    spawn->error = 0;
    spawn->failed_step = SPAWN_PREPARE;
    set_current(spawn);
    pid_t pid = spawn->internal != NULL ? fork() : vfork();
    if (pid == 0) {
        if (spawn->internal != NULL)
            run_internal(spawn);
        run_child(spawn);
    }
    int error = errno;
    set_current(NULL);
    if (pid < 0) {
        spawn->error = error;
        return -1;
    }
    if (spawn->error != 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return -1;
    }
    return pid;
}
