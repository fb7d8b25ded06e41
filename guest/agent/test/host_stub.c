#include "host_stub.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONTROL, TERMINAL, PLAIN, STREAM, DNS, PATIENCE_MILLIS = 30000 };

static const int PORTS[] = {5000, 5001, 5005, 5002, 5007};

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_millis(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------ */

static void append(struct bytes *bytes, const void *data, size_t length)
{
    if (bytes->length + length + 1 > bytes->capacity) {
        bytes->capacity = (bytes->length + length + 1) * 2;
        bytes->data = realloc(bytes->data, bytes->capacity);
        if (bytes->data == NULL)
            die("realloc");
    }
    if (length > 0)
        memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
    bytes->data[bytes->length] = 0;
}

static void drop(struct bytes *bytes, size_t length)
{
    bytes->length -= length;
    memmove(bytes->data, bytes->data + length, bytes->length);
}

static void append_be(struct bytes *bytes, uint64_t value, int size)
{
    for (int i = size - 1; i >= 0; i--) {
        uint8_t byte = (uint8_t)(value >> 8 * i);
        append(bytes, &byte, 1);
    }
}

static void append_text(struct bytes *bytes, const char *text, size_t length)
{
    append_be(bytes, length, 4);
    append(bytes, text, length);
}

static uint64_t read_be(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

const char *text_of(struct bytes *bytes)
{
    append(bytes, "", 0);
    return (const char *)bytes->data;
}

static void pump_once(struct sandbox *sandbox, int millis);

/* ---- frames to the agent ---------------------------------------------------------------------------------------- */

void sandbox_raw(struct sandbox *sandbox, int channel, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    while (length > 0) {
        ssize_t sent = send(sandbox->channels[channel], at, length, MSG_NOSIGNAL);
        if (sent < 0)
            return;
        at += sent;
        length -= (size_t)sent;
    }
}

static void send_frame(struct sandbox *sandbox, int channel, uint8_t type, uint32_t id, const void *body, size_t length)
{
    struct bytes frame = {0};
    append_be(&frame, length + 5, 4);
    append_be(&frame, type, 1);
    append_be(&frame, id, 4);
    append(&frame, body, length);
    sandbox_raw(sandbox, channel, frame.data, frame.length);
    free(frame.data);
}

static int channel_of(const struct run *run)
{
    return run->is_terminal ? TERMINAL : PLAIN;
}

static void append_list(struct bytes *body, const char *const *texts, bool as_pairs)
{
    size_t count = 0;
    while (texts != NULL && texts[count] != NULL)
        count++;
    append_be(body, count, 4);
    for (size_t i = 0; i < count; i++) {
        const char *equals = as_pairs ? strchr(texts[i], '=') : NULL;
        if (equals != NULL) {
            append_text(body, texts[i], (size_t)(equals - texts[i]));
            append_text(body, equals + 1, strlen(equals + 1));
        } else {
            append_text(body, texts[i], strlen(texts[i]));
        }
    }
}

struct run *sandbox_exec(struct sandbox *sandbox, int flags, const char *cwd, const char *const *argv,
                         const char *const *environment)
{
    struct run *run = &sandbox->runs[sandbox->run_count++ % RUNS_MAX];
    free(run->streams[0].data);
    free(run->streams[1].data);
    *run = (struct run){.id = ++sandbox->next_id, .is_terminal = flags & RUN_PTY, .input_credit = 262144};
    struct bytes body = {0};
    append_be(&body, (uint64_t)flags, 1);
    append_be(&body, 24, 2);
    append_be(&body, 80, 2);
    append_text(&body, cwd, strlen(cwd));
    append_list(&body, argv, false);
    append_list(&body, environment, true);
    send_frame(sandbox, CONTROL, 0x02, run->id, body.data, body.length);
    free(body.data);
    return run;
}

void sandbox_input(struct sandbox *sandbox, struct run *run, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    while (length > 0 && !sandbox->closed && !run->exited) {
        size_t part = length < 60000 ? length : 60000;
        if (part > run->input_credit)
            part = run->input_credit;
        if (part == 0) {
            pump_once(sandbox, 1000);
            continue;
        }
        send_frame(sandbox, channel_of(run), 0x10, run->id, at, part);
        run->input_credit -= part;
        at += part;
        length -= part;
        sandbox_pump(sandbox, 0);
    }
}

void sandbox_input_end(struct sandbox *sandbox, struct run *run)
{
    send_frame(sandbox, channel_of(run), 0x11, run->id, NULL, 0);
}

void sandbox_signal(struct sandbox *sandbox, struct run *run, int number)
{
    uint8_t body = (uint8_t)number;
    send_frame(sandbox, CONTROL, 0x03, run->id, &body, 1);
}

void sandbox_resize(struct sandbox *sandbox, struct run *run, int rows, int columns)
{
    uint8_t body[4] = {(uint8_t)(rows >> 8), (uint8_t)rows, (uint8_t)(columns >> 8), (uint8_t)columns};
    send_frame(sandbox, CONTROL, 0x04, run->id, body, sizeof body);
}

void sandbox_grant(struct sandbox *sandbox, struct run *run)
{
    struct bytes body = {0};
    append_be(&body, run->owed, 4);
    send_frame(sandbox, channel_of(run), 0x12, run->id, body.data, body.length);
    free(body.data);
    run->owed = 0;
}

void sandbox_ping(struct sandbox *sandbox, uint32_t nonce)
{
    uint8_t body[8] = {0};
    send_frame(sandbox, CONTROL, 0x06, nonce, body, sizeof body);
}

void sandbox_shutdown(struct sandbox *sandbox, uint32_t grace_millis)
{
    struct bytes body = {0};
    append_be(&body, grace_millis, 4);
    send_frame(sandbox, CONTROL, 0x05, 0, body.data, body.length);
    free(body.data);
}

/* ---- frames from the agent -------------------------------------------------------------------------------------- */

static struct run *find_run(struct sandbox *sandbox, uint32_t id)
{
    for (unsigned i = 0; i < RUNS_MAX; i++)
        if (sandbox->runs[i].id == id)
            return &sandbox->runs[i];
    return NULL;
}

static void on_ready(struct sandbox *sandbox, const uint8_t *body)
{
    sandbox->ready = true;
    uint32_t count = (uint32_t)read_be(body, 4);
    body += 4;
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        int length = (int)read_be(body, 4);
        at += (size_t)snprintf(sandbox->stages + at, sizeof sandbox->stages - at, "%.*s=%u ", length,
                               (const char *)body + 4, (unsigned)read_be(body + 4 + length, 4));
        body += 8 + length;
    }
}

static void on_exited(struct run *run, const uint8_t *body)
{
    run->exited = true;
    run->how = body[0];
    run->code = (int32_t)read_be(body + 1, 4);
    run->totals[0] = read_be(body + 5, 8);
    run->totals[1] = read_be(body + 13, 8);
    snprintf(run->message, sizeof run->message, "%.*s", (int)read_be(body + 21, 4), (const char *)body + 25);
}

static void on_output(struct sandbox *sandbox, struct run *run, const uint8_t *body, size_t length)
{
    int stream = body[0] - 1;
    append(&run->streams[stream], body + 1, length - 1);
    run->owed += length - 1;
    if (!run->withholds_credit && run->owed > 131072)
        sandbox_grant(sandbox, run);
}

static void on_frame(struct sandbox *sandbox, uint8_t type, uint32_t id, const uint8_t *body, size_t length)
{
    struct run *run = find_run(sandbox, id);
    if (type == 0x82)
        on_ready(sandbox, body);
    else if (type == 0x85)
        sandbox->pongs++;
    else if (type == 0x86)
        append(&sandbox->execed, body, length), sandbox->execed_count++;
    else if (type == 0x87)
        sandbox->execs_missed += read_be(body, 4);
    else if (run == NULL)
        return;
    else if (type == 0x83)
        run->started = true;
    else if (type == 0x84)
        on_exited(run, body);
    else if (type == 0x90)
        on_output(sandbox, run, body, length);
    else if (type == 0x91)
        run->ended[body[0] - 1] = true;
    else if (type == 0x92)
        run->input_credit += read_be(body, 4);
}

static void on_channel(struct sandbox *sandbox, int channel)
{
    static uint8_t buffer[262144];
    ssize_t count = recv(sandbox->channels[channel], buffer, sizeof buffer, 0);
    if (count <= 0) {
        sandbox->closed = true;
        return;
    }
    struct bytes *incoming = &sandbox->incoming[channel];
    append(incoming, buffer, (size_t)count);
    size_t at = 0;
    while (incoming->length - at >= 9) {
        size_t length = (size_t)read_be(incoming->data + at, 4);
        if (incoming->length - at < 4 + length)
            break;
        const uint8_t *frame = incoming->data + at;
        on_frame(sandbox, frame[4], (uint32_t)read_be(frame + 5, 4), frame + 9, length - 5);
        at += 4 + length;
    }
    drop(incoming, at);
}

/* ---- redirected traffic ----------------------------------------------------------------------------------------- */

static void on_visitor_arrived(struct sandbox *sandbox, int listener)
{
    int fd = accept4(sandbox->listeners[listener], NULL, NULL, SOCK_CLOEXEC);
    for (int i = 0; fd >= 0 && i < VISITORS_MAX; i++)
        if (sandbox->visitors[i].fd < 0) {
            sandbox->visitors[i] = (struct visitor){.fd = fd, .is_dns = listener == DNS};
            return;
        }
    close(fd);
}

static void end_visit(struct sandbox *sandbox, struct visitor *visitor)
{
    struct bytes *last = visitor->is_dns ? &sandbox->last_dns : &sandbox->last_stream;
    free(last->data);
    *last = visitor->text;
    *(visitor->is_dns ? &sandbox->dns_count : &sandbox->stream_count) += 1;
    close(visitor->fd);
    visitor->fd = -1;
}

/* The end of the next line if it begins so; `line`, the end of the one before, if not. NULL while it is incomplete. */
static const uint8_t *skip_line(const uint8_t *line, const uint8_t *end, const char *prefix, size_t length)
{
    if (line == NULL || (size_t)(end - line - 1) < length || memcmp(line + 1, prefix, length) != 0)
        return line;
    return memchr(line + 1, '\n', (size_t)(end - line - 1));
}

/* The offset behind the META, EXE, SCRIPT and DST lines, or 0 while they are incomplete. */
static size_t preface_length(const struct visitor *visitor)
{
    static const char EXE[] = "\0CAPSEM_EXE:";
    static const char SCRIPT[] = "\0CAPSEM_SCRIPT:";
    const uint8_t *end = visitor->text.data + visitor->text.length;
    const uint8_t *line = memchr(visitor->text.data, '\n', visitor->text.length);
    line = skip_line(line, end, EXE, sizeof EXE - 1);
    line = skip_line(line, end, SCRIPT, sizeof SCRIPT - 1);
    const uint8_t *last = line == NULL ? NULL : memchr(line + 1, '\n', (size_t)(end - line - 1));
    return last == NULL ? 0 : (size_t)(last + 1 - visitor->text.data);
}

/* Answers 192.0.2.77 to whatever was asked. */
static bool answer_dns(const struct visitor *visitor, size_t preface)
{
    static const uint8_t RECORD[] = {0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 77};
    const uint8_t *message = visitor->text.data + preface;
    size_t available = visitor->text.length - preface;
    if (available < 2 || available < 2 + read_be(message, 2))
        return false;
    const uint8_t *query = message + 2;
    size_t question = 12;
    while (query[question] != 0)
        question += query[question] + 1u;
    question += 5;
    bool is_address = query[question - 3] == 1;
    struct bytes answer = {0};
    append_be(&answer, question + (is_address ? sizeof RECORD : 0), 2);
    append(&answer, query, question);
    answer.data[2 + 2] |= 0x80;
    answer.data[2 + 3] = 0x80;
    answer.data[2 + 7] = is_address;
    memset(answer.data + 2 + 8, 0, 4);
    if (is_address)
        append(&answer, RECORD, sizeof RECORD);
    send(visitor->fd, answer.data, answer.length, MSG_NOSIGNAL);
    free(answer.data);
    return true;
}

static void on_visitor(struct sandbox *sandbox, struct visitor *visitor)
{
    uint8_t buffer[65536];
    ssize_t count = recv(visitor->fd, buffer, sizeof buffer, 0);
    if (count > 0)
        append(&visitor->text, buffer, (size_t)count);
    size_t preface = visitor->text.length > 0 ? preface_length(visitor) : 0;
    enum answer answer = visitor->is_dns ? sandbox->dns_answer : sandbox->stream_answer;
    if (answer == ANSWER_ECHO && count == 0)
        send(visitor->fd, visitor->text.data + preface, visitor->text.length - preface, MSG_NOSIGNAL);
    bool is_over = count <= 0 || (answer == ANSWER_REFUSE && preface > 0) ||
                   (answer == ANSWER_DNS && preface > 0 && answer_dns(visitor, preface));
    if (is_over)
        end_visit(sandbox, visitor);
}

/* ---- loop ------------------------------------------------------------------------------------------------------- */

static void pump_once(struct sandbox *sandbox, int millis)
{
    struct pollfd ready[5 + VISITORS_MAX];
    for (int i = 0; i < 3; i++)
        ready[i] = (struct pollfd){.fd = sandbox->closed ? -1 : sandbox->channels[i], .events = POLLIN};
    ready[3] = (struct pollfd){.fd = sandbox->listeners[STREAM], .events = POLLIN};
    ready[4] = (struct pollfd){.fd = sandbox->listeners[DNS], .events = POLLIN};
    for (int i = 0; i < VISITORS_MAX; i++)
        ready[5 + i] = (struct pollfd){.fd = sandbox->visitors[i].fd, .events = POLLIN};
    if (poll(ready, 5 + VISITORS_MAX, millis) <= 0)
        return;
    for (int i = 0; i < 3; i++)
        if (ready[i].revents != 0)
            on_channel(sandbox, i);
    for (int i = 0; i < VISITORS_MAX; i++)
        if (ready[5 + i].revents != 0)
            on_visitor(sandbox, &sandbox->visitors[i]);
    if (ready[3].revents != 0)
        on_visitor_arrived(sandbox, STREAM);
    if (ready[4].revents != 0)
        on_visitor_arrived(sandbox, DNS);
}

void sandbox_pump(struct sandbox *sandbox, int millis)
{
    uint64_t deadline = now_millis() + (uint64_t)millis;
    do {
        uint64_t now = now_millis();
        pump_once(sandbox, now < deadline ? (int)(deadline - now) : 0);
    } while (now_millis() < deadline);
}

bool sandbox_await(struct sandbox *sandbox, struct run *run)
{
    uint64_t deadline = now_millis() + PATIENCE_MILLIS;
    while (!(run->exited && run->ended[0] && run->ended[1])) {
        if (now_millis() > deadline || sandbox->closed)
            return false;
        pump_once(sandbox, 1000);
    }
    return true;
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

static void listen_on(struct sandbox *sandbox, int index)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/vsock/%d", sandbox->directory, PORTS[index]);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 64) < 0)
        die(address.sun_path);
    sandbox->listeners[index] = fd;
}

static void write_file(const char *directory, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        die(path);
}

static void make_directory(char *path, size_t size, const char *parent, const char *name)
{
    snprintf(path, size, "%s/%s", parent, name);
    if (mkdir(path, 0755) < 0)
        die(path);
}

static void run_bwrap(const struct sandbox *sandbox, const char *agent, const char *probe,
                      const char *const *agent_options)
{
    char vsock[96], etc[96];
    snprintf(vsock, sizeof vsock, "%s/vsock", sandbox->directory);
    snprintf(etc, sizeof etc, "%s/etc", sandbox->directory);
    const char *arguments[96] = {
        "bwrap", "--unshare-user", "--uid", "0", "--gid", "0", "--unshare-pid", "--unshare-net", "--unshare-uts",
        "--unshare-ipc", "--unshare-cgroup-try", "--hostname", "agent-test", "--as-pid-1", "--new-session",
        "--die-with-parent", "--cap-drop", "ALL", "--cap-add", "CAP_NET_ADMIN", "--cap-add", "CAP_SETPCAP",
        "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink",
        "usr/lib64", "/lib64", "--symlink", "usr/sbin", "/sbin", "--ro-bind", etc, "/etc", "--proc", "/proc", "--dev",
        "/dev", "--perms", "1777", "--tmpfs", "/tmp", "--bind", sandbox->workspace, "/root", "--ro-bind", vsock,
        "/run/capsem/vsock", "--ro-bind", agent, "/run/capsem/capsem-agent", "--ro-bind", probe, "/run/capsem/probe",
        "--", "/run/capsem/capsem-agent", "--init"};
    size_t count = 0;
    while (arguments[count] != NULL)
        count++;
    for (; agent_options != NULL && *agent_options != NULL; agent_options++)
        arguments[count++] = *agent_options;
    char console[96];
    snprintf(console, sizeof console, "%s/console", sandbox->directory);
    int fd = open(console, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    execvp("bwrap", (char *const *)arguments);
    die("bwrap");
}

static bool accept_channel(struct sandbox *sandbox, int channel)
{
    struct pollfd ready = {.fd = sandbox->listeners[channel], .events = POLLIN};
    if (poll(&ready, 1, 10000) <= 0)
        return false;
    sandbox->channels[channel] = accept4(sandbox->listeners[channel], NULL, NULL, SOCK_CLOEXEC);
    close(sandbox->listeners[channel]);
    char path[96];
    snprintf(path, sizeof path, "%s/vsock/%d", sandbox->directory, PORTS[channel]);
    unlink(path);
    return sandbox->channels[channel] >= 0;
}

static void print_console(const struct sandbox *sandbox)
{
    char path[96], line[512];
    snprintf(path, sizeof path, "%s/console", sandbox->directory);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        fprintf(stderr, "  console: %s", line);
    if (file != NULL)
        fclose(file);
}

static void send_boot(struct sandbox *sandbox)
{
    static const char *const ENVIRONMENT[] = {"FROM_BOOT=boot", "OVERRIDDEN=boot", "CAPSEM_EXEC_AUDIT=1", NULL};
    struct bytes body = {0};
    append_be(&body, 1700000000000000000ull, 8);
    append_text(&body, "agent-test", 10);
    append_list(&body, ENVIRONMENT, true);
    send_frame(sandbox, CONTROL, 0x01, 0, body.data, body.length);
    free(body.data);
}

bool sandbox_start(struct sandbox *sandbox, const char *agent, const char *probe, const char *const *agent_options)
{
    memset(sandbox, 0, sizeof *sandbox);
    for (int i = 0; i < VISITORS_MAX; i++)
        sandbox->visitors[i].fd = -1;
    strcpy(sandbox->directory, "/tmp/capsem-agent-test-XXXXXX");
    if (mkdtemp(sandbox->directory) == NULL)
        die("mkdtemp");
    char path[96];
    make_directory(path, sizeof path, sandbox->directory, "vsock");
    make_directory(sandbox->workspace, sizeof sandbox->workspace, sandbox->directory, "workspace");
    make_directory(path, sizeof path, sandbox->directory, "etc");
    write_file(path, "resolv.conf", "nameserver 10.0.2.3\n");
    write_file(path, "nsswitch.conf", "hosts: files dns\n");
    write_file(path, "passwd", "root:x:0:0:root:/root:/bin/sh\n");
    for (int i = 0; i < 5; i++)
        listen_on(sandbox, i);

    sandbox->bwrap = fork();
    if (sandbox->bwrap == 0)
        run_bwrap(sandbox, agent, probe, agent_options);
    for (int i = 0; i < 3; i++)
        if (!accept_channel(sandbox, i)) {
            fprintf(stderr, "the agent did not connect to port %d\n", PORTS[i]);
            print_console(sandbox);
            return false;
        }
    send_boot(sandbox);
    for (uint64_t deadline = now_millis() + 10000; !sandbox->ready && !sandbox->closed && now_millis() < deadline;)
        pump_once(sandbox, 1000);
    if (!sandbox->ready)
        print_console(sandbox);
    return sandbox->ready;
}

bool sandbox_await_end(struct sandbox *sandbox)
{
    for (uint64_t deadline = now_millis() + PATIENCE_MILLIS; now_millis() < deadline;) {
        if (waitpid(sandbox->bwrap, &sandbox->exit_status, WNOHANG) > 0) {
            sandbox->bwrap = 0;
            return true;
        }
        pump_once(sandbox, 10);
        if (sandbox->closed)
            usleep(2000);
    }
    return false;
}

static void remove_tree(const char *directory)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", directory, (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
}

void sandbox_stop(struct sandbox *sandbox)
{
    if (sandbox->bwrap > 0) {
        kill(sandbox->bwrap, SIGKILL);
        waitpid(sandbox->bwrap, NULL, 0);
    }
    for (int i = 0; i < 3; i++)
        close(sandbox->channels[i]);
    close(sandbox->listeners[STREAM]);
    close(sandbox->listeners[DNS]);
    for (int i = 0; i < VISITORS_MAX; i++)
        if (sandbox->visitors[i].fd >= 0) {
            close(sandbox->visitors[i].fd);
            free(sandbox->visitors[i].text.data);
        }
    for (int i = 0; i < RUNS_MAX; i++) {
        free(sandbox->runs[i].streams[0].data);
        free(sandbox->runs[i].streams[1].data);
    }
    for (int i = 0; i < 3; i++)
        free(sandbox->incoming[i].data);
    free(sandbox->last_stream.data);
    free(sandbox->last_dns.data);
    remove_tree(sandbox->directory);
}
