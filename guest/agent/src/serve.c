#include "serve.h"

#include "console.h"
#include "exec_audit.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READY_MAX = 512,
    /* For the last frames, once nothing can produce more. */
    FAREWELL_MILLIS = 200,
    GRACE_MILLIS_MAX = 600000,
};

/* ---- shutdown --------------------------------------------------------------------------------------------------- */

static void begin_shutdown(struct server *server, uint32_t grace_millis)
{
    if (server->is_ending)
        return;
    if (grace_millis > GRACE_MILLIS_MAX)
        grace_millis = GRACE_MILLIS_MAX;
    console_line("shutdown: SIGTERM to all, SIGKILL after %u ms", grace_millis);
    server->is_ending = true;
    server->execs.closed = true;
    server->kill_at = monotonic_micros() + (uint64_t)grace_millis * 1000;
    kill(-1, SIGTERM); /* all but pid 1 itself */
    kill(-1, SIGCONT); /* a stopped process would not see it */
}

/* Waits for children that were just killed; a process stuck in the kernel must not hold the shutdown for ever. */
static void reap_killed(struct server *server)
{
    uint64_t deadline = monotonic_micros() + 1000000;
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) >= 0 && monotonic_micros() < deadline) {
        if (pid > 0)
            execs_child_ended(&server->execs, pid, status);
        else
            usleep(1000);
    }
}

static void flush_all(struct server *server)
{
    /* Data before control: Exited is then never ahead of the output it closes. */
    channel_flush(&server->terminal);
    channel_flush(&server->plain);
    channel_flush(&server->control);
}

static _Noreturn void end(struct server *server)
{
    kill(-1, SIGKILL);
    reap_killed(server);
    uint64_t deadline = monotonic_micros() + (uint64_t)FAREWELL_MILLIS * 1000;
    for (;;) {
        execs_run_timeouts(&server->execs);
        flush_all(server);
        bool is_quiet = server->execs.first == NULL && server->control.out_length == 0 &&
                        server->terminal.out_length == 0 && server->plain.out_length == 0;
        if (is_quiet || monotonic_micros() >= deadline)
            break;
        usleep(1000);
    }
    console_line("shutdown: done");
    _exit(0);
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

static void on_control_frame(struct server *server, const struct host_frame *frame)
{
    switch (frame->type) {
    case HOST_EXEC:
        execs_start(&server->execs, frame);
        break;
    case HOST_SIGNAL:
        execs_signal(&server->execs, frame->id, frame->signal.number);
        break;
    case HOST_RESIZE:
        execs_resize(&server->execs, frame->id, frame->resize.rows, frame->resize.columns);
        break;
    case HOST_SHUTDOWN:
        begin_shutdown(server, frame->shutdown.grace_millis);
        break;
    case HOST_PING: {
        uint8_t *out = channel_reserve(&server->control, ENCODED_FIXED_MAX);
        channel_commit(&server->control, encode_pong(out, ENCODED_FIXED_MAX, frame->id));
        break;
    }
    case HOST_BOOT:
        console_fail("the host sent Boot twice", "This is a bug in capsem-process; please report it");
    case HOST_INPUT:
    case HOST_INPUT_END:
    case HOST_OUTPUT_CREDIT:
        break; /* the channel lets no data frame through on the control port */
    }
}

static void on_data_frame(struct server *server, const struct host_frame *frame)
{
    if (frame->type == HOST_INPUT)
        execs_input(&server->execs, frame->id, frame->input);
    else if (frame->type == HOST_INPUT_END)
        execs_input_end(&server->execs, frame->id);
    else if (frame->type == HOST_OUTPUT_CREDIT)
        execs_credit(&server->execs, frame->id, frame->credit);
}

static void on_frame(void *context, struct channel *channel, const struct host_frame *frame)
{
    struct server *server = context;
    if (channel == &server->control)
        on_control_frame(server, frame);
    else
        on_data_frame(server, frame);
}

/* What was seen goes out with the next batch; a full channel is watched for room instead. */
static void on_audit(struct watch *watch, uint32_t events)
{
    (void)events;
    struct server *server = OWNER_OF(watch, struct server, audit);
    exec_audit_send(&server->control);
    loop_watch(&server->loop, watch, channel_is_full(&server->control) ? 0 : EPOLLIN);
}

static void on_drained(void *context, struct channel *channel)
{
    struct server *server = context;
    if (channel == &server->control && server->audit.fd >= 0)
        loop_watch(&server->loop, &server->audit, EPOLLIN);
    execs_channel_drained(&server->execs, channel);
}

/* ---- children --------------------------------------------------------------------------------------------------- */

static void on_children(struct watch *watch, uint32_t events)
{
    (void)events;
    struct server *server = OWNER_OF(watch, struct server, children);
    struct signalfd_siginfo ignored[16];
    while (read(watch->fd, ignored, sizeof ignored) > 0)
        continue;
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        execs_child_ended(&server->execs, pid, status);
}

/* ---- loop ------------------------------------------------------------------------------------------------------- */

static int next_timeout(void *context)
{
    struct server *server = context;
    int timeout = execs_next_timeout(&server->execs);
    if (!server->is_ending)
        return timeout;
    uint64_t now = monotonic_micros();
    int until_kill = now >= server->kill_at ? 0 : (int)((server->kill_at - now) / 1000) + 1;
    return timeout < 0 || until_kill < timeout ? until_kill : timeout;
}

static bool has_children(void)
{
    siginfo_t ignored;
    return waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static void batch_done(void *context)
{
    struct server *server = context;
    execs_run_timeouts(&server->execs);
    flush_all(server);
    execs_bury(&server->execs);
    if (server->is_ending && (monotonic_micros() >= server->kill_at || !has_children()))
        end(server);
}

static void attach(struct server *server, struct channel *channel)
{
    channel->received = on_frame;
    channel->drained = on_drained;
    channel->context = server;
    channel_attach(channel, &server->loop);
}

static void watch_children(struct server *server)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    server->children = (struct watch){.fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), .ready = on_children};
    if (server->children.fd < 0)
        console_fail_errno("opening the signal descriptor", errno, "The host may be out of descriptors");
    loop_watch(&server->loop, &server->children, EPOLLIN);
}

void serve(struct server *server, const struct environment *environment, const struct limits *limits,
           const struct boot_stage *stages, uint32_t stage_count)
{
    server->loop = (struct loop){.batch_done = batch_done, .next_timeout = next_timeout, .context = server};
    loop_init(&server->loop);
    server->execs = (struct execs){
        .loop = &server->loop,
        .control = &server->control,
        .terminal = &server->terminal,
        .plain = &server->plain,
        .environment = environment,
        .limits = limits,
    };
    watch_children(server);
    server->audit = (struct watch){.fd = exec_audit_descriptor(), .ready = on_audit};
    if (server->audit.fd >= 0)
        loop_watch(&server->loop, &server->audit, EPOLLIN);
    uint8_t *ready = channel_reserve(&server->control, READY_MAX);
    channel_commit(&server->control, encode_ready(ready, READY_MAX, stages, stage_count));
    if (exec_audit_problem() != NULL) {
        uint8_t *off = channel_reserve(&server->control, ENCODED_FIXED_MAX + AUDIT_REASON_MAX);
        channel_commit(&server->control,
                       encode_exec_audit_off(off, ENCODED_FIXED_MAX + AUDIT_REASON_MAX, exec_audit_problem()));
    }
    attach(server, &server->control);
    attach(server, &server->terminal);
    attach(server, &server->plain);
    flush_all(server);
    console_line("ready");
    loop_run(&server->loop);
}
