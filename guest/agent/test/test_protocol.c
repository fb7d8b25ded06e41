/*
 * The decoder and encoders against the vectors both sides share.
 *   test_protocol <vectors.txt>
 */
#include "../src/caller.h"
#include "../src/script.h"
#include "../src/dns.h"
#include "../src/loop.h"
#include "../src/protocol.h"
#include "../src/refusal.h"
#include "../src/utf8.h"
#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 8192, FRAME_MAX_BYTES = 4096, FIELDS_MAX_BYTES = 4096 };

/* ---- frames as the text of the vectors' last column ------------------------------------------------------------- */

struct description {
    char text[FIELDS_MAX_BYTES];
    size_t length;
};

static void say(struct description *description, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct description *description, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof description->text - description->length;
    int written = vsnprintf(description->text + description->length, room, format, arguments);
    va_end(arguments);
    if (written > 0 && (size_t)written < room)
        description->length += (size_t)written;
}

static void say_texts(struct description *description, struct texts texts, bool as_pairs)
{
    for (bool is_first = true; texts.count > 0; is_first = false) {
        struct text text = next_text(&texts);
        say(description, "%s%.*s", is_first ? "" : ",", (int)text.length, (const char *)text.bytes);
        if (as_pairs) {
            text = next_text(&texts);
            say(description, "=%.*s", (int)text.length, (const char *)text.bytes);
        }
    }
}

static void describe(const struct host_frame *frame, struct description *description)
{
    description->length = 0;
    description->text[0] = '\0';
    if (frame->type != HOST_BOOT && frame->type != HOST_SHUTDOWN)
        say(description, "id=%u", frame->id);
    switch (frame->type) {
    case HOST_BOOT:
        say(description, "time=%" PRIu64 " hostname=%.*s env=", frame->boot.unix_nanos,
            (int)frame->boot.hostname.length, (const char *)frame->boot.hostname.bytes);
        say_texts(description, frame->boot.environment, true);
        break;
    case HOST_EXEC:
        say(description, " flags=%u rows=%u columns=%u cwd=%.*s argv=", frame->exec.flags, frame->exec.rows,
            frame->exec.columns, (int)frame->exec.cwd.length, (const char *)frame->exec.cwd.bytes);
        say_texts(description, frame->exec.argv, false);
        say(description, " env=");
        say_texts(description, frame->exec.environment, true);
        break;
    case HOST_SIGNAL:
        say(description, " signal=%u", frame->signal.number);
        break;
    case HOST_RESIZE:
        say(description, " rows=%u columns=%u", frame->resize.rows, frame->resize.columns);
        break;
    case HOST_SHUTDOWN:
        say(description, "grace=%u", frame->shutdown.grace_millis);
        break;
    case HOST_PING:
        say(description, " time=%" PRIu64, frame->ping.unix_nanos);
        break;
    case HOST_INPUT:
        say(description, " bytes=");
        for (uint32_t i = 0; i < frame->input.length; i++)
            say(description, "%02x", frame->input.bytes[i]);
        break;
    case HOST_INPUT_END:
        break;
    case HOST_OUTPUT_CREDIT:
        say(description, " credit=%u", frame->credit);
        break;
    }
}

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static size_t parse_hex(const char *hex, uint8_t *bytes)
{
    size_t length = 0;
    for (unsigned byte; length < FRAME_MAX_BYTES && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        bytes[length++] = (uint8_t)byte;
    return length;
}

/* Decodes from a heap copy of exactly `length` bytes, so that valgrind sees a read past the end. */
static enum decoded decode_copy(const uint8_t *bytes, size_t length, struct host_frame *frame, uint8_t **copy)
{
    size_t consumed = 0;
    const char *reason = NULL;
    *copy = malloc(length + (length == 0));
    memcpy(*copy, bytes, length);
    enum decoded decoded = decode_host_frame(*copy, length, frame, &consumed, &reason);
    if (decoded == DECODED_NEED_MORE)
        CHECK(consumed > length, "asks for %zu of %zu", consumed, length);
    if (decoded == DECODED_MALFORMED)
        CHECK(reason != NULL, "no reason given");
    return decoded;
}

static void check_host_vector(const char *name, const uint8_t *bytes, size_t length, const char *fields)
{
    struct host_frame frame;
    struct description description;
    uint8_t *copy;

    for (size_t split = 0; split < length; split++) {
        CHECK(decode_copy(bytes, split, &frame, &copy) == DECODED_NEED_MORE, "%s cut at %zu", name, split);
        free(copy);
    }
    CHECK(decode_copy(bytes, length, &frame, &copy) == DECODED_FRAME, "%s", name);
    describe(&frame, &description);
    CHECK(strcmp(description.text, fields) == 0, "%s: %s", name, description.text);
    free(copy);

    /* One byte more or less in the body, with the length field made to agree. */
    if (frame.type != HOST_INPUT) {
        uint8_t changed[FRAME_MAX_BYTES + 1] = {0};
        memcpy(changed, bytes, length);
        for (int difference = -1; difference <= 1; difference += 2) {
            size_t size = length - FRAME_PREFIX + (size_t)difference;
            changed[2] = (uint8_t)(size >> 8);
            changed[3] = (uint8_t)size;
            CHECK(decode_copy(changed, size + FRAME_PREFIX, &frame, &copy) == DECODED_MALFORMED, "%s %+d byte", name,
                  difference);
            free(copy);
        }
    }
}

/* The number behind `key=` in a vector's fields. */
static uint64_t number_of(const char *fields, const char *key)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s=", key);
    const char *at = strstr(fields, wanted);
    return at == NULL ? 0 : strtoull(at + strlen(wanted), NULL, 10);
}

static const char *rest_of(const char *fields, const char *key)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s=", key);
    const char *at = strstr(fields, wanted);
    return at == NULL ? "" : at + strlen(wanted);
}

static size_t encode_ready_fields(uint8_t *out, size_t capacity, const char *fields)
{
    struct boot_stage stages[8];
    char names[8][64];
    uint32_t count = 0;
    for (const char *at = rest_of(fields, "stages"); *at != '\0' && count < 8; count++) {
        int used = 0;
        if (sscanf(at, "%63[^:]:%u%n", names[count], &stages[count].micros, &used) != 2)
            break;
        stages[count].name = names[count];
        at += used + (at[used] == ',');
    }
    return encode_ready(out, capacity, stages, count);
}

/* Copies the text behind `key=` up to the next key. */
static void text_field(char *out, size_t capacity, const char *fields, const char *key, const char *next)
{
    const char *at = rest_of(fields, key);
    const char *end = next == NULL ? NULL : strstr(at, next);
    snprintf(out, capacity, "%.*s", (int)(end == NULL ? strlen(at) : (size_t)(end - at)), at);
}

static size_t encode_execed_fields(uint8_t *out, size_t capacity, const char *fields)
{
    static struct exec_facts facts;
    facts = (struct exec_facts){
        .pid = (uint32_t)number_of(fields, "pid"),
        .parent = (uint32_t)number_of(fields, "parent"),
        .uid = (uint32_t)number_of(fields, "uid"),
        .session = (uint32_t)number_of(fields, "session"),
        .flags = (uint8_t)number_of(fields, "flags"),
    };
    text_field(facts.program, sizeof facts.program, fields, "program", " directory=");
    text_field(facts.directory, sizeof facts.directory, fields, "directory", " terminal=");
    text_field(facts.terminal, sizeof facts.terminal, fields, "terminal", " parent-program=");
    text_field(facts.parent_program, sizeof facts.parent_program, fields, "parent-program", " argv=");
    text_field(facts.arguments, sizeof facts.arguments, fields, "argv", NULL);
    facts.argument_count = 1;
    for (char *at = facts.arguments; (at = strchr(at, ',')) != NULL; facts.argument_count++)
        *at++ = '\0';
    return encode_execed(out, capacity, &facts);
}

static void replaces_what_is_not_utf8(void)
{
    static struct exec_facts facts = {.argument_count = 1, .arguments = "a\xFF\xC3\xA4\xC3"};
    static uint8_t out[EXECED_MAX];
    size_t length = encode_execed(out, sizeof out, &facts);
    CHECK(length > 6 && memcmp(out + length - 6, "\x05" "a?\xC3\xA4?", 6) == 0, "%zu", length);
}

static size_t encode_fields(uint8_t *out, size_t capacity, const char *name, const char *fields)
{
    uint32_t id = (uint32_t)number_of(fields, "id");
    uint32_t stream = (uint32_t)number_of(fields, "stream");
    if (strcmp(name, "hello") == 0)
        return encode_hello(out, capacity, (uint16_t)number_of(fields, "port"), rest_of(fields, "agent"));
    if (strcmp(name, "ready") == 0)
        return encode_ready_fields(out, capacity, fields);
    if (strcmp(name, "started") == 0)
        return encode_started(out, capacity, id, (uint32_t)number_of(fields, "pid"));
    if (strncmp(name, "exited", 6) == 0)
        return encode_exited(out, capacity, id, (enum exit_how)number_of(fields, "how"),
                             (int32_t)number_of(fields, "code"), number_of(fields, "stdout"),
                             number_of(fields, "stderr"), rest_of(fields, "message"));
    if (strcmp(name, "execed") == 0)
        return encode_execed_fields(out, capacity, fields);
    if (strcmp(name, "execs-missed") == 0)
        return encode_execs_missed(out, capacity, (uint32_t)number_of(fields, "count"));
    if (strcmp(name, "exec-audit-off") == 0)
        return encode_exec_audit_off(out, capacity, rest_of(fields, "reason"));
    if (strcmp(name, "pong") == 0)
        return encode_pong(out, capacity, id);
    if (strcmp(name, "output-end") == 0)
        return encode_output_end(out, capacity, id, (enum output_stream)stream);
    if (strcmp(name, "input-credit") == 0)
        return encode_input_credit(out, capacity, id, (uint32_t)number_of(fields, "credit"));
    if (strncmp(name, "output", 6) == 0) {
        uint8_t body[FRAME_MAX_BYTES];
        size_t length = parse_hex(rest_of(fields, "bytes"), body);
        size_t header = encode_output_header(out, capacity, id, (enum output_stream)stream, (uint32_t)length);
        if (header == 0 || header + length > capacity)
            return 0;
        memcpy(out + header, body, length);
        return header + length;
    }
    return 0;
}

static void check_guest_vector(const char *name, const uint8_t *bytes, size_t length, const char *fields)
{
    struct host_frame frame;
    uint8_t *copy;
    CHECK(decode_copy(bytes, length, &frame, &copy) == DECODED_MALFORMED, "the agent decodes its own %s", name);
    free(copy);

    uint8_t *exact = malloc(length);
    size_t written = encode_fields(exact, length, name, fields);
    CHECK(written == length && memcmp(exact, bytes, length) == 0, "%s is encoded differently", name);
    free(exact);
    for (size_t capacity = 0; capacity < length; capacity++) {
        uint8_t *small = malloc(capacity + 1);
        CHECK(encode_fields(small, capacity, name, fields) == 0, "%s fits in %zu bytes", name, capacity);
        free(small);
    }
}

static int check_vectors(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return 0;
    }
    static char line[LINE_MAX_BYTES];
    int vectors = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        char *rest = line;
        const char *name = strsep(&rest, "|");
        const char *direction = strsep(&rest, "|");
        const char *hex = strsep(&rest, "|");
        uint8_t bytes[FRAME_MAX_BYTES];
        CHECK(rest != NULL, "a line of the vectors is incomplete: %s", name);
        if (rest == NULL)
            continue;
        size_t length = parse_hex(hex, bytes);
        vectors++;
        if (strcmp(direction, "host") == 0)
            check_host_vector(name, bytes, length, rest);
        else
            check_guest_vector(name, bytes, length, rest);
    }
    fclose(file);
    return vectors;
}

/* ---- malformed frames ------------------------------------------------------------------------------------------- */

static void check_malformed(const char *what, const char *hex, const char *expected)
{
    uint8_t bytes[FRAME_MAX_BYTES];
    struct host_frame frame;
    size_t consumed = 0;
    const char *reason = NULL;
    size_t length = parse_hex(hex, bytes);
    CHECK(decode_host_frame(bytes, length, &frame, &consumed, &reason) == DECODED_MALFORMED, "%s", what);
    CHECK(reason != NULL && strstr(reason, expected) != NULL, "%s: %s", what, reason == NULL ? "" : reason);
}

static void rejects_malformed_frames(void)
{
    check_malformed("length 0", "00000000", "out of bounds");
    check_malformed("length 4", "00000004", "out of bounds");
    check_malformed("length one above the cap", "00200001", "out of bounds");
    check_malformed("length with the top bit", "80000005", "out of bounds");
    check_malformed("type 0", "0000000500", "unknown");
    check_malformed("type between the sets", "0000000507", "unknown");
    check_malformed("type 0x7F", "000000057f", "unknown");
    check_malformed("a guest type", "0000000581", "unknown");
    check_malformed("a list count far beyond its frame", "0000001501000000000000000000000000000000007fffffff", "longer than its frame");
    check_malformed("a pair count that overflows 32 bits", "00000015010000000000000000000000000000000080000000", "longer than its frame");
    check_malformed("a text length beyond its frame", "00000015010000000000000000000000000000000900000000", "too early");
    check_malformed("a text with NUL", "0000001601000000000000000000000000000000010000000000", "NUL");
    check_malformed("a text that is not UTF-8", "000000160100000000000000000000000000000001ff00000000", "UTF-8");
    check_malformed("a body where none belongs", "00000006110000000100", "left over");
    check_malformed("half a body", "0000000704000000010019", "too early");
}

static void accepts_the_largest_frame_only(void)
{
    size_t length = FRAME_PREFIX + FRAME_LENGTH_MAX;
    uint8_t *bytes = calloc(1, length);
    struct host_frame frame;
    size_t consumed;
    const char *reason;
    memcpy(bytes, (const uint8_t[]){0x00, 0x20, 0x00, 0x00, HOST_INPUT, 0, 0, 0, 9}, FRAME_HEADER);
    CHECK(decode_host_frame(bytes, length, &frame, &consumed, &reason) == DECODED_FRAME && consumed == length, "cap");
    CHECK(frame.input.length == FRAME_LENGTH_MAX - FRAME_LENGTH_MIN, "%u", frame.input.length);
    free(bytes);
}

static void checks_utf8(void)
{
    static const struct {
        const char *bytes;
        size_t length;
    } CASES[] = {{"a", 1},          {"\xC3\xA4", 2},     {"\xE2\x82\xAC", 3}, {"\xF0\x9F\x98\x80", 4},
                 {"\xC0\x80", 0},   {"\xED\xA0\x80", 0}, {"\xF5\x80\x80\x80", 0}, {"\x80", 0},
                 {"\xE2\x82", 0},   {"\xE0\x80\x80", 0}, {"\xF4\x90\x80\x80", 0}, {"\xF0\x80\x80\x80", 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        CHECK(utf8_character((const uint8_t *)CASES[i].bytes, strlen(CASES[i].bytes)) == CASES[i].length, "case %zu", i);
}

static void cuts_messages_on_a_character(void)
{
    uint8_t out[ENCODED_FIXED_MAX + EXIT_MESSAGE_MAX];
    char message[EXIT_MESSAGE_MAX + 3];
    memset(message, 'x', sizeof message);
    memcpy(message + EXIT_MESSAGE_MAX - 1, "\xC3\xA4", 3);
    size_t length = encode_exited(out, sizeof out, 1, EXIT_NOT_STARTED, 2, 0, 0, message);
    CHECK(length == FRAME_HEADER + 1 + 4 + 8 + 8 + 4 + EXIT_MESSAGE_MAX - 1, "%zu", length);
}

/* ---- META name and DNS answers ---------------------------------------------------------------------------------- */

static void cleans_process_names(void)
{
    char clean[CALLER_NAME_MAX + 1];
    caller_clean_name(clean, "my app\n\x7F\xFF\xC3\xA4", 11);
    CHECK(strcmp(clean, "my_app___\xC3\xA4") == 0, "%s", clean);
    char name[200];
    memset(name, 'x', sizeof name);
    memcpy(name + 127, "\xC3\xA4", 2);
    caller_clean_name(clean, name, sizeof name);
    CHECK(strlen(clean) == 127, "%zu", strlen(clean));
}

static void finds_the_script_of_an_interpreter(void)
{
    static const struct {
        const char *executable;
        const char *arguments; /* with a bar for each NUL */
        const char *script;
    } CASES[] = {
        {"/usr/bin/node", "node|/usr/bin/gemini|--yolo|", "/usr/bin/gemini"},
        {"/usr/bin/node", "node|--max-old-space-size=4096|--no-warnings|/a/b.js|x|", "/a/b.js"},
        {"/usr/bin/node", "node|-r|./hook.js|main.js|", "main.js"},
        {"/usr/bin/node", "node|--require|./hook.js|--|main.js|", "main.js"},
        {"/usr/bin/node", "node|-e|code|main.js|", NULL},
        {"/usr/bin/node", "node|--eval=code|main.js|", NULL},
        {"/usr/bin/node", "node|", NULL},
        {"/usr/bin/python3.11", "python3|-uW|ignore|tool.py|", "tool.py"},
        {"/usr/bin/python3.11", "python3|-Wignore|tool.py|", "tool.py"},
        {"/usr/bin/python3.11", "python3|-um|pip|install|", NULL},
        {"/usr/bin/python3.11", "python3|-c|code|tool.py|", NULL},
        {"/usr/bin/python3.11", "python3|-|tool.py|", NULL},
        {"/usr/bin/perl", "perl|-I|lib|-w|x.pl|", "x.pl"},
        {"/usr/bin/perl", "perl|-Mexpert|x.pl|", "x.pl"},
        {"/usr/bin/perl", "perl|-pe|s/a/b/|x.pl|", NULL},
        {"/usr/bin/ruby3.1", "ruby|-rjson|x.rb|", "x.rb"},
        {"/usr/bin/bash", "bash|-eo|pipefail|+x|run.sh|a|", "run.sh"},
        {"/usr/bin/bash", "bash|-lc|code|run.sh|", NULL},
        {"/usr/bin/dash", "sh|run.sh|", "run.sh"},
        {"/usr/bin/dash", "sh|run.sh", NULL},
        {"/usr/bin/dash", "sh||x|", NULL},
        {"/usr/bin/curl", "curl|/etc/passwd|", NULL},
        {"/usr/bin/3.", "x|y|", NULL},
        {"", "x|y|", NULL},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char arguments[100];
        size_t length = strlen(CASES[i].arguments);
        for (size_t at = 0; at < length; at++)
            arguments[at] = CASES[i].arguments[at] == '|' ? '\0' : CASES[i].arguments[at];
        const char *script = script_among(CASES[i].executable, arguments, length);
        bool right = CASES[i].script == NULL ? script == NULL : script != NULL && strcmp(script, CASES[i].script) == 0;
        CHECK(right, "%s: %s", CASES[i].arguments, script == NULL ? "none" : script);
    }
}

static void answers_dns_errors(void)
{
    static const uint8_t QUERY[] = {0x12, 0x34, 0x01, 0x20, 0, 1, 0, 0, 0, 0, 0, 1, 1,    'a', 2, 'b',
                                    'c',  0,    0,    1,    0, 1, 0, 0, 41, 4, 0, 0, 0, 0, 0,   0};
    uint8_t answer[512];
    size_t length = dns_error_answer(QUERY, sizeof QUERY, DNS_REFUSED, answer, sizeof answer);
    CHECK(length == 22, "%zu", length);
    CHECK(answer[0] == 0x12 && answer[1] == 0x34 && answer[2] == 0x81 && answer[3] == 0x85, "header");
    CHECK(answer[5] == 1 && answer[7] == 0 && answer[11] == 0, "counts");
    CHECK(memcmp(answer + 12, QUERY + 12, 10) == 0, "question");

    for (size_t cut = 0; cut < sizeof QUERY; cut++) {
        uint8_t *copy = malloc(cut + 1);
        memcpy(copy, QUERY, cut);
        length = dns_error_answer(copy, cut, DNS_SERVFAIL, answer, sizeof answer);
        CHECK(length == (cut < 12 ? 0u : cut < 22 ? 12u : 22u), "cut at %zu: %zu", cut, length);
        free(copy);
    }
    uint8_t response[sizeof QUERY];
    memcpy(response, QUERY, sizeof QUERY);
    response[2] |= 0x80;
    CHECK(dns_error_answer(response, sizeof response, DNS_REFUSED, answer, sizeof answer) == 0, "answers an answer");
}

/* ---- refused packets -------------------------------------------------------------------------------------------- */

static void reads_refused_packets(void)
{
    static const uint8_t UDP[] = {0x45, 0, 0, 29, 0, 1, 0, 0, 64, 17, 0,    0,    10,   0,    2,
                                  15,   203, 0, 113, 9, 0x9C, 0x40, 1, 0xBB, 0, 9, 0, 0, 'x'};
    struct refusal refusal;
    char line[REFUSAL_LINE_MAX];
    CHECK(refusal_parse(UDP, sizeof UDP, &refusal), "a datagram");
    CHECK(refusal.source_port == 40000 && refusal.destination_port == 443, "%u", refusal.destination_port);
    size_t length = refusal_line(line, &refusal, 12);
    CHECK(length == strlen(line + 1) + 1 && strcmp(line + 1, "CAPSEM_REFUSED:udp 203.0.113.9:443 12\n") == 0, "%s", line + 1);

    uint8_t icmp6[48] = {0x60, 0, 0, 0, 0, 8, IPPROTO_ICMPV6, 64};
    icmp6[23] = 1;
    icmp6[24] = 0x20;
    icmp6[25] = 0x01;
    icmp6[39] = 9;
    CHECK(refusal_parse(icmp6, sizeof icmp6, &refusal), "an echo request");
    refusal_line(line, &refusal, UINT64_MAX);
    CHECK(strcmp(line + 1, "CAPSEM_REFUSED:icmpv6 [2001::9]:0 18446744073709551615\n") == 0, "%s", line + 1);

    uint8_t fragment[sizeof UDP];
    memcpy(fragment, UDP, sizeof UDP);
    fragment[7] = 1;
    CHECK(refusal_parse(fragment, sizeof fragment, &refusal) && refusal.destination_port == 0, "a later fragment");
    for (size_t cut = 0; cut < sizeof UDP; cut++) {
        uint8_t *copy = malloc(cut + 1);
        memcpy(copy, UDP, cut);
        CHECK(refusal_parse(copy, cut, &refusal) == (cut >= 20), "cut at %zu", cut);
        CHECK(cut >= 24 || refusal.destination_port == 0, "ports of %zu bytes", cut);
        free(copy);
    }
}

/* --- the loop, when the kernel has no room left in epoll -------------------------------------------------------------- */

static int loop_said[2];
static struct watch loop_ends[2];
static struct loop small_loop;

static void loop_ready(struct watch *watch, uint32_t events)
{
    char byte;
    size_t which = (size_t)(watch - loop_ends);
    if ((events & EPOLLIN) != 0 && read(watch->fd, &byte, 1) == 1)
        loop_said[which]++;
    else if ((events & EPOLLHUP) != 0)
        loop_close(&small_loop, watch);
}

static void loop_batch_done(void *context)
{
    (void)context;
}

static int loop_timeout(void *context)
{
    (void)context;
    return 10000;
}

/* From here on epoll takes no further descriptor: what a guest does to others of its user. */
static bool fill_epoll(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_ctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, EPOLL_CTL_ADD, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static int use_loop_without_room(void)
{
    int first[2], second[2];
    if (pipe(first) < 0 || pipe(second) < 0)
        return 1;
    small_loop = (struct loop){.batch_done = loop_batch_done, .next_timeout = loop_timeout};
    loop_init(&small_loop);
    loop_ends[0] = (struct watch){.fd = first[0], .ready = loop_ready};
    loop_ends[1] = (struct watch){.fd = second[0], .ready = loop_ready};
    loop_watch(&small_loop, &loop_ends[0], EPOLLIN);
    if (!fill_epoll())
        return 2;
    loop_watch(&small_loop, &loop_ends[1], EPOLLIN);
    if (!loop_ends[1].polled || loop_ends[0].polled)
        return 3;
    if (write(second[1], "x", 1) != 1)
        return 4;
    loop_turn(&small_loop);
    if (loop_said[1] != 1 || write(first[1], "x", 1) != 1)
        return 5;
    loop_turn(&small_loop);
    if (loop_said[0] != 1)
        return 6;
    /* Not watched, not told; watched again, told. */
    loop_watch(&small_loop, &loop_ends[1], 0);
    if (small_loop.polled != NULL || write(second[1], "x", 1) != 1 || write(first[1], "x", 1) != 1)
        return 7;
    loop_turn(&small_loop);
    if (loop_said[0] != 2 || loop_said[1] != 1)
        return 8;
    loop_watch(&small_loop, &loop_ends[1], EPOLLIN);
    loop_turn(&small_loop);
    close(second[1]);
    loop_turn(&small_loop);
    return loop_said[1] == 2 && loop_ends[1].fd == -1 && small_loop.polled == NULL ? 0 : 9;
}

static void goes_on_when_epoll_is_full(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(use_loop_without_room());
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "step %d", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: test_protocol <vectors.txt>\n", stderr);
        return 2;
    }
    int vectors = check_vectors(argv[1]);
    CHECK(vectors >= 20, "only %d vectors in %s", vectors, argv[1]);
    rejects_malformed_frames();
    accepts_the_largest_frame_only();
    checks_utf8();
    replaces_what_is_not_utf8();
    cuts_messages_on_a_character();
    cleans_process_names();
    finds_the_script_of_an_interpreter();
    answers_dns_errors();
    reads_refused_packets();
    goes_on_when_epoll_is_full();
    printf("test_protocol: %d vectors, %d checks, %d wrong\n", vectors, checks, failures);
    return failures > 0;
}
