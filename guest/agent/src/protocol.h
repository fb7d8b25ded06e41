/*
 * The bytes of docs/reference/guest-protocol.md, without any IO: decodes host frames, encodes guest frames.
 * It cannot decode guest frames and cannot encode host frames; the two message sets stay disjoint.
 */
#ifndef CAPSEM_PROTOCOL_H
#define CAPSEM_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROTOCOL_VERSION = 1,
    PORT_CONTROL = 5000,
    PORT_TERMINAL = 5001,
    PORT_STREAM = 5002,
    PORT_EXEC = 5005,
    PORT_DNS = 5007,

    FRAME_LENGTH_MIN = 5,
    FRAME_LENGTH_MAX = 2097152,
    FRAME_PREFIX = 4,
    FRAME_HEADER = 9,
    OUTPUT_HEADER = FRAME_HEADER + 1,
    OUTPUT_MAX = 65536,
    CREDIT_INITIAL = 262144,
    EXECS_MAX = 1024,
};

enum host_type {
    HOST_BOOT = 0x01,
    HOST_EXEC = 0x02,
    HOST_SIGNAL = 0x03,
    HOST_RESIZE = 0x04,
    HOST_SHUTDOWN = 0x05,
    HOST_PING = 0x06,
    HOST_INPUT = 0x10,
    HOST_INPUT_END = 0x11,
    HOST_OUTPUT_CREDIT = 0x12,
};

enum exec_flag {
    EXEC_PTY = 1,
    EXEC_STDIN = 2,
    EXEC_INTERNAL = 4,
};

enum exit_how {
    EXIT_CODE = 0,
    EXIT_SIGNAL = 1,
    EXIT_NOT_STARTED = 2,
};

enum output_stream {
    STREAM_STDOUT = 1,
    STREAM_STDERR = 2,
};

/* A view into the decoded buffer; not NUL-terminated. */
struct text {
    const uint8_t *bytes;
    uint32_t length;
};

/* Texts whose lengths were checked when the frame was decoded; read them with next_text. Pairs are two texts each. */
struct texts {
    const uint8_t *bytes;
    uint32_t count;
};

struct host_frame {
    enum host_type type;
    uint32_t id;
    union {
        struct {
            uint64_t unix_nanos;
            struct text hostname;
            struct texts environment;
        } boot;
        struct {
            uint8_t flags;
            uint16_t rows;
            uint16_t columns;
            struct text cwd;
            struct texts argv;
            struct texts environment;
        } exec;
        struct {
            uint8_t number;
        } signal;
        struct {
            uint16_t rows;
            uint16_t columns;
        } resize;
        struct {
            uint32_t grace_millis;
        } shutdown;
        struct {
            uint64_t unix_nanos;
        } ping;
        struct text input;
        uint32_t credit;
    };
};

enum decoded {
    DECODED_NEED_MORE,
    DECODED_FRAME,
    DECODED_MALFORMED,
};

/*
 * Looks at the first frame in `bytes`. FRAME: `frame` is filled with views into `bytes`, `*consumed` is the frame's size.
 * NEED_MORE: `*consumed` is the number of bytes that must be there before another try can succeed.
 * MALFORMED: `*reason` says why; the connection is beyond repair.
 */
enum decoded decode_host_frame(const uint8_t *bytes, size_t length, struct host_frame *frame, size_t *consumed,
                               const char **reason);

/* Takes the next text of the list. Requires: texts->count > 0. */
struct text next_text(struct texts *texts);

/* True for the types that travel on the control port, false for those of the two data ports. */
bool is_control_type(enum host_type type);

struct boot_stage {
    const char *name;
    uint32_t micros;
};

/*
 * Each encoder writes one whole frame to `out` and answers its size, or 0 when `capacity` is too small.
 * A frame without variable parts fits in ENCODED_FIXED_MAX.
 */
enum { ENCODED_FIXED_MAX = 64, EXIT_MESSAGE_MAX = 4096, AUDIT_REASON_MAX = 256 };

/* A program that starts inside. Texts may be any bytes: what is not UTF-8 is sent as '?'. */
enum {
    EXECED_PATH_MAX = 1024,
    EXECED_ARGUMENTS_MAX = 256,
    EXECED_ARGUMENT_BYTES_MAX = 8192,
    EXECED_TERMINAL_MAX = 16,
    /* The largest frame: header, five numbers, four texts, the list. */
    EXECED_MAX = FRAME_HEADER + 17 + 4 * 4 + 3 * EXECED_PATH_MAX + EXECED_TERMINAL_MAX + 4 +
                 4 * EXECED_ARGUMENTS_MAX + EXECED_ARGUMENT_BYTES_MAX,
};

enum execed_flag {
    EXECED_CUT = 1,
    EXECED_UNREADABLE = 2,
};

struct exec_facts {
    uint32_t pid;
    uint32_t parent;
    uint32_t uid;
    uint32_t session;
    uint8_t flags;
    char program[EXECED_PATH_MAX];
    char directory[EXECED_PATH_MAX];
    char terminal[EXECED_TERMINAL_MAX];
    char parent_program[EXECED_PATH_MAX];
    uint32_t argument_count;
    /* One after the other, each with its NUL. */
    char arguments[EXECED_ARGUMENT_BYTES_MAX];
};

size_t encode_execed(uint8_t *out, size_t capacity, const struct exec_facts *facts);
size_t encode_execs_missed(uint8_t *out, size_t capacity, uint32_t count);
size_t encode_exec_audit_off(uint8_t *out, size_t capacity, const char *reason);
size_t encode_hello(uint8_t *out, size_t capacity, uint16_t port, const char *version);
size_t encode_ready(uint8_t *out, size_t capacity, const struct boot_stage *stages, uint32_t count);
size_t encode_started(uint8_t *out, size_t capacity, uint32_t id, uint32_t pid);
size_t encode_exited(uint8_t *out, size_t capacity, uint32_t id, enum exit_how how, int32_t code,
                     uint64_t stdout_bytes, uint64_t stderr_bytes, const char *message);
size_t encode_pong(uint8_t *out, size_t capacity, uint32_t nonce);
/* Only the header of an Output frame: the caller puts `length` bytes behind its OUTPUT_HEADER bytes. */
size_t encode_output_header(uint8_t *out, size_t capacity, uint32_t id, enum output_stream stream, uint32_t length);
size_t encode_output_end(uint8_t *out, size_t capacity, uint32_t id, enum output_stream stream);
size_t encode_input_credit(uint8_t *out, size_t capacity, uint32_t id, uint32_t bytes);

#endif
