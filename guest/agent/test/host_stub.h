/*
 * The host's side of a sandbox for the tests: listens on the ports, runs the agent under plain bwrap, and speaks just
 * enough of the protocol. It encodes and decodes by itself, so that it cannot share a mistake with the agent.
 */
#ifndef CAPSEM_HOST_STUB_H
#define CAPSEM_HOST_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bytes {
    uint8_t *data;
    size_t length;
    size_t capacity;
};

enum { RUNS_MAX = 1100, VISITORS_MAX = 16 };

struct run {
    uint32_t id;
    bool is_terminal;
    bool withholds_credit;
    bool started;
    bool exited;
    bool ended[2];
    uint8_t how;
    int32_t code;
    uint64_t totals[2];
    char message[512];
    struct bytes streams[2];
    /* Output received but not yet granted back. */
    uint64_t owed;
    uint64_t input_credit;
};

enum answer { ANSWER_REFUSE, ANSWER_ECHO, ANSWER_DNS };

struct visitor {
    int fd;
    bool is_dns;
    struct bytes text;
};

struct sandbox {
    char directory[64];
    char workspace[96];
    pid_t bwrap;
    int listeners[5];
    int channels[3];
    struct bytes incoming[3];
    struct run runs[RUNS_MAX];
    unsigned run_count;
    uint32_t next_id;
    bool ready;
    char stages[256];
    uint32_t pongs;
    /* Bodies of Execed frames, one after the other, and what was missed. */
    struct bytes execed;
    unsigned execed_count;
    uint64_t execs_missed;
    bool closed;
    int exit_status;
    enum answer stream_answer;
    enum answer dns_answer;
    struct visitor visitors[VISITORS_MAX];
    /* What the last connection on 5002 and 5007 sent. */
    struct bytes last_stream;
    struct bytes last_dns;
    unsigned stream_count;
    unsigned dns_count;
};

/* Answers false, with the reason on standard error, when the sandbox did not get ready. */
bool sandbox_start(struct sandbox *sandbox, const char *agent, const char *probe, const char *const *agent_options);
void sandbox_stop(struct sandbox *sandbox);

enum { RUN_PTY = 1, RUN_STDIN = 2, RUN_INTERNAL = 4 };

struct run *sandbox_exec(struct sandbox *sandbox, int flags, const char *cwd, const char *const *argv,
                         const char *const *environment);
/* Everything until the exec is over; false after the patience ran out. */
bool sandbox_await(struct sandbox *sandbox, struct run *run);
/* Handles what comes within the time. */
void sandbox_pump(struct sandbox *sandbox, int millis);
void sandbox_input(struct sandbox *sandbox, struct run *run, const void *bytes, size_t length);
void sandbox_input_end(struct sandbox *sandbox, struct run *run);
void sandbox_signal(struct sandbox *sandbox, struct run *run, int number);
void sandbox_resize(struct sandbox *sandbox, struct run *run, int rows, int columns);
void sandbox_grant(struct sandbox *sandbox, struct run *run);
void sandbox_ping(struct sandbox *sandbox, uint32_t nonce);
void sandbox_shutdown(struct sandbox *sandbox, uint32_t grace_millis);
void sandbox_raw(struct sandbox *sandbox, int channel, const void *bytes, size_t length);
/* Waits until the agent is gone; its exit status is in exit_status. */
bool sandbox_await_end(struct sandbox *sandbox);

/* The stream as text. */
const char *text_of(struct bytes *bytes);

#endif
