#include "exec_audit.h"

#include "console.h"
#include "exec_facts.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than some C libraries' headers (Linux 5.19): once read, only a deadly signal takes an execve back. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum {
    /* A parallel build starts some hundreds of programs in a second; above that only a count is kept. */
    RECORDS_PER_SECOND = 500,
    RECORDS_BURST = 2000,
    WAITING_MAX = 262144,
    NOTIFICATION_MAX = 256,
};

static int listener = -1;
static int wake = -1;
static const char *problem;

/* Guards the bytes and the count below. Never held over a system call that the guest can delay, nor over a vfork. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t waiting[WAITING_MAX];
static size_t waiting_length;
static uint32_t missed;

/* ---- the thread that answers the kernel ------------------------------------------------------------------------- */

/* Used by the audit thread only. */
static bool within_rate(void)
{
    static uint64_t last;
    static uint64_t tokens = RECORDS_BURST;
    uint64_t now = monotonic_micros();
    uint64_t earned = (now - last) * RECORDS_PER_SECOND / 1000000;
    if (earned > 0) {
        tokens = tokens + earned > RECORDS_BURST ? RECORDS_BURST : tokens + earned;
        last = now;
    }
    if (tokens == 0)
        return false;
    tokens--;
    return true;
}

static void keep(const uint8_t *frame, size_t length)
{
    pthread_mutex_lock(&lock);
    if (length > 0 && length <= WAITING_MAX - waiting_length) {
        memcpy(waiting + waiting_length, frame, length);
        waiting_length += length;
    } else if (missed < UINT32_MAX) {
        missed++;
    }
    pthread_mutex_unlock(&lock);
    uint64_t one = 1;
    ssize_t ignored = write(wake, &one, sizeof one);
    (void)ignored;
}

static bool is_still_there(uint64_t id)
{
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

static void answer(uint64_t id)
{
    struct seccomp_notif_resp response = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    /* ENOENT: the process was killed meanwhile. */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) < 0 && errno != ENOENT && errno != EINTR)
        console_fail_errno("answering an execve", errno, "This is a bug in capsem-agent; please report it");
}

static void observe(const struct seccomp_notif *notification)
{
    static struct exec_facts facts;
    static uint8_t frame[EXECED_MAX];
    bool readable = within_rate();
    bool starts = !readable || exec_facts_read(&facts, (pid_t)notification->pid, &notification->data);
    /* The facts are those of this process only if it still waits: its pid may be somebody else's by now. */
    bool valid = !readable || is_still_there(notification->id);
    answer(notification->id);
    if (!readable)
        keep(frame, 0);
    else if (starts && valid)
        keep(frame, encode_execed(frame, sizeof frame, &facts));
}

static void *run(void *unused)
{
    (void)unused;
    static union {
        struct seccomp_notif notification;
        char room[NOTIFICATION_MAX];
    } next;
    for (;;) {
        memset(&next, 0, sizeof next);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &next) == 0)
            observe(&next.notification);
        else if (errno != EINTR && errno != ENOENT)
            console_fail_errno("waiting for an execve", errno, "This is a bug in capsem-agent; please report it");
    }
    return NULL;
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

static int install(void)
{
    static struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
    long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &filter);
    if (fd < 0 && errno == EINVAL)
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    return (int)fd;
}

static bool kernel_fits(void)
{
    struct seccomp_notif_sizes sizes;
    if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) != 0)
        return false;
    errno = E2BIG;
    return sizes.seccomp_notif <= NOTIFICATION_MAX && sizes.seccomp_notif_resp == sizeof(struct seccomp_notif_resp);
}

void exec_audit_start(void)
{
    pthread_t thread;
    wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake < 0 || !kernel_fits() || (listener = install()) < 0) {
        problem = strerror(errno);
        console_line("exec audit: off, programs that start inside are not recorded: %s", problem);
        if (wake >= 0)
            close(wake);
        wake = -1;
        return;
    }
    /* From here on nobody can exec unless the thread runs. */
    int error = pthread_create(&thread, NULL, run, NULL);
    if (error != 0)
        console_fail_errno("starting the audit thread", error, "The host may be out of memory or processes");
    pthread_setname_np(thread, "audit");
}

/* ---- the agent's main thread ------------------------------------------------------------------------------------ */

const char *exec_audit_problem(void)
{
    return problem;
}

int exec_audit_descriptor(void)
{
    return wake;
}

void exec_audit_send(struct channel *control)
{
    uint64_t ignored;
    if (wake < 0 || channel_is_full(control))
        return;
    while (read(wake, &ignored, sizeof ignored) > 0)
        continue;
    pthread_mutex_lock(&lock);
    if (waiting_length > 0) {
        memcpy(channel_reserve(control, waiting_length), waiting, waiting_length);
        channel_commit(control, waiting_length);
        waiting_length = 0;
    }
    uint32_t count = missed;
    missed = 0;
    pthread_mutex_unlock(&lock);
    if (count > 0) {
        uint8_t *out = channel_reserve(control, ENCODED_FIXED_MAX);
        channel_commit(control, encode_execs_missed(out, ENCODED_FIXED_MAX, count));
    }
}
