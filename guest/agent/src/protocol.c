#include "protocol.h"

#include "utf8.h"

#include <string.h>

enum guest_type {
    GUEST_HELLO = 0x81,
    GUEST_READY = 0x82,
    GUEST_STARTED = 0x83,
    GUEST_EXITED = 0x84,
    GUEST_PONG = 0x85,
    GUEST_EXECED = 0x86,
    GUEST_EXECS_MISSED = 0x87,
    GUEST_EXEC_AUDIT_OFF = 0x88,
    GUEST_OUTPUT = 0x90,
    GUEST_OUTPUT_END = 0x91,
    GUEST_INPUT_CREDIT = 0x92,
};

/* ---- decoding --------------------------------------------------------------------------------------------------- */

/* Once `reason` is set every further take answers zero; the decoder looks at it once, at the end. */
struct cursor {
    const uint8_t *bytes;
    size_t left;
    const char *reason;
};

static const uint8_t *take(struct cursor *cursor, size_t count)
{
    static const uint8_t ZEROES[8];
    if (cursor->reason == NULL && cursor->left < count)
        cursor->reason = "the body ends too early";
    if (cursor->reason != NULL)
        return count <= sizeof ZEROES ? ZEROES : NULL;
    const uint8_t *at = cursor->bytes;
    cursor->bytes += count;
    cursor->left -= count;
    return at;
}

static uint64_t read_be(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[i];
    return value;
}

static uint8_t take_u8(struct cursor *cursor)
{
    return *take(cursor, 1);
}

static uint16_t take_u16(struct cursor *cursor)
{
    return (uint16_t)read_be(take(cursor, 2), 2);
}

static uint32_t take_u32(struct cursor *cursor)
{
    return (uint32_t)read_be(take(cursor, 4), 4);
}

static uint64_t take_u64(struct cursor *cursor)
{
    return read_be(take(cursor, 8), 8);
}

static bool is_protocol_text(const uint8_t *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t character = utf8_character(bytes + at, length - at);
        if (character == 0 || bytes[at] == 0)
            return false;
        at += character;
    }
    return true;
}

static struct text take_text(struct cursor *cursor)
{
    uint32_t length = take_u32(cursor);
    const uint8_t *bytes = take(cursor, length);
    if (cursor->reason != NULL)
        return (struct text){(const uint8_t *)"", 0};
    if (!is_protocol_text(bytes, length))
        cursor->reason = "a text is not UTF-8 or holds a NUL";
    return (struct text){bytes, length};
}

/* Requires: texts_each is 1 (list<str>) or 2 (list<pair>). */
static struct texts take_texts(struct cursor *cursor, uint32_t texts_each)
{
    uint64_t count = (uint64_t)take_u32(cursor) * texts_each;
    struct texts texts = {cursor->bytes, 0};
    /* Each text takes at least its length field, so a false count ends here and not after 2^32 rounds. */
    if (cursor->reason == NULL && count > cursor->left / 4)
        cursor->reason = "a list is longer than its frame";
    while (cursor->reason == NULL && texts.count < count) {
        take_text(cursor);
        texts.count++;
    }
    return texts;
}

static struct text take_rest(struct cursor *cursor)
{
    struct text rest = {cursor->bytes, (uint32_t)cursor->left};
    take(cursor, cursor->left);
    return rest;
}

static bool is_host_type(uint8_t type)
{
    return (type >= HOST_BOOT && type <= HOST_PING) || (type >= HOST_INPUT && type <= HOST_OUTPUT_CREDIT);
}

bool is_control_type(enum host_type type)
{
    return type <= HOST_PING;
}

static void take_body(struct cursor *cursor, struct host_frame *frame)
{
    switch (frame->type) {
    case HOST_BOOT:
        frame->boot.unix_nanos = take_u64(cursor);
        frame->boot.hostname = take_text(cursor);
        frame->boot.environment = take_texts(cursor, 2);
        break;
    case HOST_EXEC:
        frame->exec.flags = take_u8(cursor);
        frame->exec.rows = take_u16(cursor);
        frame->exec.columns = take_u16(cursor);
        frame->exec.cwd = take_text(cursor);
        frame->exec.argv = take_texts(cursor, 1);
        frame->exec.environment = take_texts(cursor, 2);
        break;
    case HOST_SIGNAL:
        frame->signal.number = take_u8(cursor);
        break;
    case HOST_RESIZE:
        frame->resize.rows = take_u16(cursor);
        frame->resize.columns = take_u16(cursor);
        break;
    case HOST_SHUTDOWN:
        frame->shutdown.grace_millis = take_u32(cursor);
        break;
    case HOST_PING:
        frame->ping.unix_nanos = take_u64(cursor);
        break;
    case HOST_INPUT:
        frame->input = take_rest(cursor);
        break;
    case HOST_INPUT_END:
        break;
    case HOST_OUTPUT_CREDIT:
        frame->credit = take_u32(cursor);
        break;
    }
}

enum decoded decode_host_frame(const uint8_t *bytes, size_t length, struct host_frame *frame, size_t *consumed,
                               const char **reason)
{
    if (length < FRAME_PREFIX) {
        *consumed = FRAME_PREFIX;
        return DECODED_NEED_MORE;
    }
    size_t size = (size_t)read_be(bytes, FRAME_PREFIX);
    if (size < FRAME_LENGTH_MIN || size > FRAME_LENGTH_MAX) {
        *reason = "the frame length is out of bounds";
        return DECODED_MALFORMED;
    }
    if (length > FRAME_PREFIX && !is_host_type(bytes[FRAME_PREFIX])) {
        *reason = "the frame type is unknown";
        return DECODED_MALFORMED;
    }
    *consumed = FRAME_PREFIX + size;
    if (length < *consumed)
        return DECODED_NEED_MORE;

    struct cursor cursor = {bytes + FRAME_PREFIX, size, NULL};
    memset(frame, 0, sizeof *frame);
    frame->type = (enum host_type)take_u8(&cursor);
    frame->id = take_u32(&cursor);
    take_body(&cursor, frame);
    if (cursor.reason == NULL && cursor.left > 0)
        cursor.reason = "the body has bytes left over";
    *reason = cursor.reason;
    return cursor.reason == NULL ? DECODED_FRAME : DECODED_MALFORMED;
}

struct text next_text(struct texts *texts)
{
    uint32_t length = (uint32_t)read_be(texts->bytes, 4);
    struct text text = {texts->bytes + 4, length};
    texts->bytes += 4 + length;
    texts->count--;
    return text;
}

/* ---- encoding --------------------------------------------------------------------------------------------------- */

struct sink {
    uint8_t *bytes;
    size_t capacity;
    size_t length;
    bool overflow;
};

static void put(struct sink *sink, const void *bytes, size_t count)
{
    if (sink->overflow || sink->capacity - sink->length < count) {
        sink->overflow = true;
        return;
    }
    memcpy(sink->bytes + sink->length, bytes, count);
    sink->length += count;
}

static void put_be(struct sink *sink, uint64_t value, int size)
{
    uint8_t bytes[8];
    for (int i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
    put(sink, bytes, (size_t)size);
}

static void put_text(struct sink *sink, const char *text, size_t limit)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t length = strlen(text);
    size_t kept = 0;
    /* Cut at the limit or at the first byte the host would reject: paths in a message may be any bytes. */
    while (kept < length) {
        size_t character = utf8_character(bytes + kept, length - kept);
        if (character == 0 || kept + character > limit)
            break;
        kept += character;
    }
    put_be(sink, kept, 4);
    put(sink, bytes, kept);
}

/* The guest's own bytes: kept whole, with '?' for each byte the host would reject. */
static void put_guest_text(struct sink *sink, const char *text)
{
    static const uint8_t UNKNOWN = '?';
    const uint8_t *bytes = (const uint8_t *)text;
    size_t length = strlen(text);
    put_be(sink, length, 4);
    for (size_t at = 0; at < length;) {
        size_t character = utf8_character(bytes + at, length - at);
        put(sink, character > 0 ? bytes + at : &UNKNOWN, character > 0 ? character : 1);
        at += character > 0 ? character : 1;
    }
}

static struct sink begin(uint8_t *out, size_t capacity, enum guest_type type, uint32_t id)
{
    struct sink sink = {out, capacity, 0, false};
    put_be(&sink, 0, 4);
    put_be(&sink, type, 1);
    put_be(&sink, id, 4);
    return sink;
}

static size_t finish_with(struct sink *sink, size_t bytes_behind)
{
    if (sink->overflow)
        return 0;
    struct sink length = {sink->bytes, FRAME_PREFIX, 0, false};
    put_be(&length, sink->length - FRAME_PREFIX + bytes_behind, 4);
    return sink->length;
}

static size_t finish(struct sink *sink)
{
    return finish_with(sink, 0);
}

size_t encode_hello(uint8_t *out, size_t capacity, uint16_t port, const char *version)
{
    struct sink sink = begin(out, capacity, GUEST_HELLO, 0);
    put_be(&sink, PROTOCOL_VERSION, 2);
    put_be(&sink, port, 2);
    put_text(&sink, version, 64);
    return finish(&sink);
}

size_t encode_ready(uint8_t *out, size_t capacity, const struct boot_stage *stages, uint32_t count)
{
    struct sink sink = begin(out, capacity, GUEST_READY, 0);
    put_be(&sink, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        put_text(&sink, stages[i].name, 64);
        put_be(&sink, stages[i].micros, 4);
    }
    return finish(&sink);
}

size_t encode_started(uint8_t *out, size_t capacity, uint32_t id, uint32_t pid)
{
    struct sink sink = begin(out, capacity, GUEST_STARTED, id);
    put_be(&sink, pid, 4);
    return finish(&sink);
}

size_t encode_exited(uint8_t *out, size_t capacity, uint32_t id, enum exit_how how, int32_t code,
                     uint64_t stdout_bytes, uint64_t stderr_bytes, const char *message)
{
    struct sink sink = begin(out, capacity, GUEST_EXITED, id);
    put_be(&sink, how, 1);
    put_be(&sink, (uint32_t)code, 4);
    put_be(&sink, stdout_bytes, 8);
    put_be(&sink, stderr_bytes, 8);
    put_text(&sink, message, EXIT_MESSAGE_MAX);
    return finish(&sink);
}

size_t encode_pong(uint8_t *out, size_t capacity, uint32_t nonce)
{
    struct sink sink = begin(out, capacity, GUEST_PONG, nonce);
    return finish(&sink);
}

size_t encode_output_header(uint8_t *out, size_t capacity, uint32_t id, enum output_stream stream, uint32_t length)
{
    struct sink sink = begin(out, capacity, GUEST_OUTPUT, id);
    put_be(&sink, stream, 1);
    return finish_with(&sink, length);
}

size_t encode_output_end(uint8_t *out, size_t capacity, uint32_t id, enum output_stream stream)
{
    struct sink sink = begin(out, capacity, GUEST_OUTPUT_END, id);
    put_be(&sink, stream, 1);
    return finish(&sink);
}

size_t encode_input_credit(uint8_t *out, size_t capacity, uint32_t id, uint32_t bytes)
{
    struct sink sink = begin(out, capacity, GUEST_INPUT_CREDIT, id);
    put_be(&sink, bytes, 4);
    return finish(&sink);
}

size_t encode_execed(uint8_t *out, size_t capacity, const struct exec_facts *facts)
{
    struct sink sink = begin(out, capacity, GUEST_EXECED, 0);
    put_be(&sink, facts->pid, 4);
    put_be(&sink, facts->parent, 4);
    put_be(&sink, facts->uid, 4);
    put_be(&sink, facts->session, 4);
    put_be(&sink, facts->flags, 1);
    put_guest_text(&sink, facts->program);
    put_guest_text(&sink, facts->directory);
    put_guest_text(&sink, facts->terminal);
    put_guest_text(&sink, facts->parent_program);
    put_be(&sink, facts->argument_count, 4);
    const char *argument = facts->arguments;
    for (uint32_t i = 0; i < facts->argument_count; i++, argument += strlen(argument) + 1)
        put_guest_text(&sink, argument);
    return finish(&sink);
}

size_t encode_execs_missed(uint8_t *out, size_t capacity, uint32_t count)
{
    struct sink sink = begin(out, capacity, GUEST_EXECS_MISSED, 0);
    put_be(&sink, count, 4);
    return finish(&sink);
}

size_t encode_exec_audit_off(uint8_t *out, size_t capacity, const char *reason)
{
    struct sink sink = begin(out, capacity, GUEST_EXEC_AUDIT_OFF, 0);
    put_text(&sink, reason, AUDIT_REASON_MAX);
    return finish(&sink);
}
