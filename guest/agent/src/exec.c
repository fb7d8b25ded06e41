#include "exec.h"

#include "command.h"
#include "console.h"
#include "plumbing.h"
#include "processes.h"
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    /* How long background children may hold an ended command's pipes. */
    LINGER_MICROS = 200000,
    /* Reads of one stream before the others get their turn. */
    READS_PER_TURN = 4,
};

struct stream {
    struct watch watch;
    struct exec *exec;
    enum output_stream number;
    uint64_t total;
    /* After the linger time: only what was in the pipe at that moment is still sent. */
    bool bounded;
    size_t bounded_left;
};

struct input {
    struct watch watch;
    uint8_t *bytes;
    size_t start;
    size_t length;
    bool ended;
    /* The last byte given to a terminal, for its end-of-input. */
    uint8_t last;
};

struct exec {
    struct exec *next;
    struct execs *execs;
    struct channel *channel;
    uint32_t id;
    pid_t pid;
    bool has_terminal;
    struct stream streams[2];
    struct input input;
    uint32_t credit;
    bool ended;
    enum exit_how how;
    int code;
    uint64_t linger_deadline;
};

/* ---- frames to the host ----------------------------------------------------------------------------------------- */

static void send_output_end(struct channel *channel, uint32_t id, enum output_stream stream)
{
    uint8_t *out = channel_reserve(channel, ENCODED_FIXED_MAX);
    channel_commit(channel, encode_output_end(out, ENCODED_FIXED_MAX, id, stream));
}

static void send_exited(struct execs *execs, uint32_t id, enum exit_how how, int code, uint64_t out_bytes,
                        uint64_t error_bytes, const char *message)
{
    size_t capacity = ENCODED_FIXED_MAX + EXIT_MESSAGE_MAX;
    uint8_t *out = channel_reserve(execs->control, capacity);
    channel_commit(execs->control,
                   encode_exited(out, capacity, id, how, code, out_bytes, error_bytes, message));
}

static void send_input_credit(const struct exec *exec, size_t bytes)
{
    uint8_t *out = channel_reserve(exec->channel, ENCODED_FIXED_MAX);
    channel_commit(exec->channel, encode_input_credit(out, ENCODED_FIXED_MAX, exec->id, (uint32_t)bytes));
}

/* ---- end of an exec --------------------------------------------------------------------------------------------- */

static bool is_open(const struct stream *stream)
{
    return stream->watch.fd >= 0;
}

static void close_input(struct exec *exec)
{
    loop_close(exec->execs->loop, &exec->input.watch);
    exec->input.length = 0;
}

static void finish_if_over(struct exec *exec)
{
    struct execs *execs = exec->execs;
    if (!exec->ended || exec->pid == 0 || is_open(&exec->streams[0]) || is_open(&exec->streams[1]))
        return;
    send_exited(execs, exec->id, exec->how, exec->code, exec->streams[0].total, exec->streams[1].total, "");
    close_input(exec);
    exec->pid = 0;
    struct exec **link = &execs->first;
    while (*link != exec)
        link = &(*link)->next;
    *link = exec->next;
    exec->next = execs->dead;
    execs->dead = exec;
    execs->count--;
}

void execs_bury(struct execs *execs)
{
    while (execs->dead != NULL) {
        struct exec *exec = execs->dead;
        execs->dead = exec->next;
        free(exec->input.bytes);
        free(exec);
    }
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static void close_stream(struct stream *stream)
{
    struct exec *exec = stream->exec;
    loop_close(exec->execs->loop, &stream->watch);
    send_output_end(exec->channel, exec->id, stream->number);
    if (exec->has_terminal)
        send_output_end(exec->channel, exec->id, STREAM_STDERR); /* a terminal has no second stream */
}

/* Reads once. Answers false when nothing more can be read now. */
static bool read_once(struct stream *stream)
{
    struct exec *exec = stream->exec;
    size_t want = OUTPUT_MAX < exec->credit ? OUTPUT_MAX : exec->credit;
    if (stream->bounded && stream->bounded_left < want)
        want = stream->bounded_left;
    uint8_t *out = channel_reserve(exec->channel, OUTPUT_HEADER + want);
    ssize_t count = read(stream->watch.fd, out + OUTPUT_HEADER, want);
    if (count < 0 && errno == EINTR)
        return true;
    if (count < 0 && errno == EAGAIN) {
        if (stream->bounded)
            close_stream(stream);
        return false;
    }
    if (count <= 0) { /* a terminal reports its end as EIO */
        close_stream(stream);
        return false;
    }
    encode_output_header(out, OUTPUT_HEADER, exec->id, stream->number, (uint32_t)count);
    channel_commit(exec->channel, OUTPUT_HEADER + (size_t)count);
    exec->credit -= (uint32_t)count;
    stream->total += (uint64_t)count;
    if (stream->bounded && (stream->bounded_left -= (size_t)count) == 0) {
        close_stream(stream);
        return false;
    }
    return true;
}

static bool may_read(const struct stream *stream)
{
    return is_open(stream) && stream->exec->credit > 0 && !channel_is_full(stream->exec->channel);
}

static void pump(struct stream *stream)
{
    for (int reads = 0; reads < READS_PER_TURN && may_read(stream) && read_once(stream); reads++)
        continue;
    loop_watch(stream->exec->execs->loop, &stream->watch, may_read(stream) ? EPOLLIN : 0);
}

static void on_output(struct watch *watch, uint32_t events)
{
    (void)events;
    struct stream *stream = OWNER_OF(watch, struct stream, watch);
    pump(stream);
    finish_if_over(stream->exec);
}

static void pump_all(struct exec *exec)
{
    pump(&exec->streams[0]);
    pump(&exec->streams[1]);
    finish_if_over(exec);
}

void execs_channel_drained(struct execs *execs, const struct channel *channel)
{
    for (struct exec *exec = execs->first, *next; exec != NULL; exec = next) {
        next = exec->next;
        if (exec->channel == channel)
            pump_all(exec);
    }
}

/* ---- input ------------------------------------------------------------------------------------------------------ */

static void write_input(struct exec *exec)
{
    struct input *input = &exec->input;
    while (input->watch.fd >= 0 && input->length > 0) {
        ssize_t count = write(input->watch.fd, input->bytes + input->start, input->length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            break;
        if (count < 0) { /* the command reads no more: swallow the rest, so that the host's writer can finish */
            send_input_credit(exec, input->length);
            close_input(exec);
            break;
        }
        input->last = input->bytes[input->start + (size_t)count - 1];
        input->start += (size_t)count;
        input->length -= (size_t)count;
        send_input_credit(exec, (size_t)count);
    }
    if (input->length == 0) {
        input->start = 0;
        if (input->ended && exec->has_terminal && input->watch.fd >= 0)
            terminal_end_input(input->watch.fd, input->last);
        if (input->ended)
            close_input(exec);
    }
    loop_watch(exec->execs->loop, &input->watch, input->length > 0 ? EPOLLOUT : 0);
}

static void on_input(struct watch *watch, uint32_t events)
{
    (void)events;
    write_input(OWNER_OF(watch, struct exec, input.watch));
}

static struct exec *find(const struct execs *execs, uint32_t id)
{
    for (struct exec *exec = execs->first; exec != NULL; exec = exec->next)
        if (exec->id == id)
            return exec;
    return NULL;
}

void execs_input(struct execs *execs, uint32_t id, struct text bytes)
{
    struct exec *exec = find(execs, id);
    if (exec == NULL || bytes.length == 0)
        return;
    struct input *input = &exec->input;
    if (input->watch.fd < 0 || input->ended) {
        send_input_credit(exec, bytes.length);
        return;
    }
    if (bytes.length > CREDIT_INITIAL - input->length)
        console_fail("the host sent more input than it was granted", "This is a bug in capsem-process; please report it");
    if (input->bytes == NULL)
        input->bytes = must_allocate(CREDIT_INITIAL);
    if (input->start + input->length + bytes.length > CREDIT_INITIAL) {
        memmove(input->bytes, input->bytes + input->start, input->length);
        input->start = 0;
    }
    memcpy(input->bytes + input->start + input->length, bytes.bytes, bytes.length);
    input->length += bytes.length;
    write_input(exec);
}

void execs_input_end(struct execs *execs, uint32_t id)
{
    struct exec *exec = find(execs, id);
    if (exec == NULL || exec->input.watch.fd < 0 || exec->input.ended)
        return;
    exec->input.ended = true;
    write_input(exec);
}

/* ---- other requests --------------------------------------------------------------------------------------------- */

void execs_credit(struct execs *execs, uint32_t id, uint32_t bytes)
{
    struct exec *exec = find(execs, id);
    if (exec == NULL)
        return;
    if (bytes > CREDIT_INITIAL - exec->credit)
        console_fail("the host granted more output than it was sent", "This is a bug in capsem-process; please report it");
    exec->credit += bytes;
    pump_all(exec);
}

static void signal_group(const struct exec *exec, int number)
{
    /* An internal operation has no group of its own yet in its first microseconds. An ended leader's pid may be
     * somebody else's by now. */
    if (kill(-exec->pid, number) < 0 && errno == ESRCH && !exec->ended)
        kill(exec->pid, number);
}

void execs_signal(struct execs *execs, uint32_t id, uint8_t number)
{
    struct exec *exec = find(execs, id);
    if (exec == NULL || number == 0 || number >= NSIG)
        return;
    if (number == SIGKILL)
        processes_kill_tree(exec->pid);
    else
        signal_group(exec, number);
}

void execs_resize(struct execs *execs, uint32_t id, uint16_t rows, uint16_t columns)
{
    struct exec *exec = find(execs, id);
    if (exec != NULL && exec->has_terminal && is_open(&exec->streams[0]))
        terminal_resize(exec->streams[0].watch.fd, rows, columns);
}

void execs_child_ended(struct execs *execs, pid_t pid, int status)
{
    struct exec *exec = execs->first;
    while (exec != NULL && (exec->pid != pid || exec->ended))
        exec = exec->next;
    if (exec == NULL)
        return;
    exec->ended = true;
    exec->how = WIFSIGNALED(status) ? EXIT_SIGNAL : EXIT_CODE;
    exec->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    exec->linger_deadline = monotonic_micros() + LINGER_MICROS;
    close_input(exec);
    pump_all(exec);
}

/* ---- background children ---------------------------------------------------------------------------------------- */

int execs_next_timeout(const struct execs *execs)
{
    uint64_t next = UINT64_MAX;
    for (const struct exec *exec = execs->first; exec != NULL; exec = exec->next)
        if (exec->ended && exec->linger_deadline < next)
            next = exec->linger_deadline;
    if (next == UINT64_MAX)
        return -1;
    uint64_t now = monotonic_micros();
    return next <= now ? 0 : (int)((next - now) / 1000) + 1;
}

/* The command's own output is in the pipe by now, perhaps waiting for credit; what comes later is not its own. */
static void bound_stream(struct stream *stream)
{
    int waiting = 0;
    if (!is_open(stream) || stream->bounded)
        return;
    if (ioctl(stream->watch.fd, FIONREAD, &waiting) < 0 || waiting <= 0) {
        close_stream(stream);
        return;
    }
    stream->bounded = true;
    stream->bounded_left = (size_t)waiting;
}

void execs_run_timeouts(struct execs *execs)
{
    uint64_t now = monotonic_micros();
    for (struct exec *exec = execs->first, *next; exec != NULL; exec = next) {
        next = exec->next;
        if (!exec->ended || exec->linger_deadline > now)
            continue;
        exec->linger_deadline = UINT64_MAX;
        bound_stream(&exec->streams[0]);
        bound_stream(&exec->streams[1]);
        pump_all(exec);
    }
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

static void refuse(struct execs *execs, const struct host_frame *frame, int error, const char *message)
{
    struct channel *channel = (frame->exec.flags & EXEC_PTY) ? execs->terminal : execs->plain;
    send_output_end(channel, frame->id, STREAM_STDOUT);
    send_output_end(channel, frame->id, STREAM_STDERR);
    send_exited(execs, frame->id, EXIT_NOT_STARTED, error, 0, 0, message);
}

static struct watch watch_of(int fd, watch_ready *ready)
{
    return (struct watch){.fd = fd, .ready = ready};
}

static void adopt(struct execs *execs, const struct host_frame *frame, pid_t pid, const struct plumbing *plumbing)
{
    struct exec *exec = must_allocate(sizeof *exec);
    *exec = (struct exec){
        .next = execs->first,
        .execs = execs,
        .channel = (frame->exec.flags & EXEC_PTY) ? execs->terminal : execs->plain,
        .id = frame->id,
        .pid = pid,
        .has_terminal = (frame->exec.flags & EXEC_PTY) != 0,
        .streams[0] = {.watch = watch_of(plumbing->output[0], on_output), .exec = exec, .number = STREAM_STDOUT},
        .streams[1] = {.watch = watch_of(plumbing->output[1], on_output), .exec = exec, .number = STREAM_STDERR},
        .input.watch = watch_of(plumbing->input, on_input),
        .credit = CREDIT_INITIAL,
        .linger_deadline = UINT64_MAX,
    };
    execs->first = exec;
    execs->count++;
    uint8_t *out = channel_reserve(execs->control, ENCODED_FIXED_MAX);
    channel_commit(execs->control, encode_started(out, ENCODED_FIXED_MAX, exec->id, (uint32_t)pid));
    loop_watch(execs->loop, &exec->streams[0].watch, EPOLLIN);
    loop_watch(execs->loop, &exec->streams[1].watch, EPOLLIN);
}

/* Answers 0, or an errno with a message when no further exec may start under this id. */
static int admit(const struct execs *execs, uint32_t id, const char **message)
{
    if (execs->closed) {
        *message = "the sandbox is shutting down; start a new one";
        return ESHUTDOWN;
    }
    if (execs->count >= EXECS_MAX) {
        *message = "1024 commands are running already; wait for one to end";
        return EAGAIN;
    }
    if (find(execs, id) != NULL) {
        *message = "this exec id is in use; ids must be unique";
        return EEXIST;
    }
    return 0;
}

static void launch(struct execs *execs, const struct host_frame *frame, struct command *command)
{
    struct plumbing plumbing;
    int error = plumbing_lay(&plumbing, frame);
    if (error != 0) {
        refuse(execs, frame, error, "cannot open pipes or a terminal; the sandbox may be out of descriptors");
        return;
    }
    memcpy(command->spawn.fds, plumbing.guest, sizeof plumbing.guest);
    pid_t pid = spawn_run(&command->spawn);
    if (pid < 0) {
        char message[2048];
        command_describe_failure(command, message, sizeof message);
        plumbing_close(&plumbing);
        refuse(execs, frame, command->spawn.error, message);
        return;
    }
    plumbing_close_guest(&plumbing);
    adopt(execs, frame, pid, &plumbing);
}

void execs_start(struct execs *execs, const struct host_frame *frame)
{
    const char *message = "";
    int error = admit(execs, frame->id, &message);
    if (error != 0) {
        refuse(execs, frame, error, message);
        return;
    }
    static struct command command;
    error = command_prepare(&command, frame, execs->environment, execs->limits, &message);
    if (error == 0)
        launch(execs, frame, &command);
    else
        refuse(execs, frame, error, message);
    command_release(&command);
}
