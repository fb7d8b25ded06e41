/*
 * Fuzz target of the frame decoder: any bytes, no crash, no read past the end, and the same answer for a copy.
 *   clang -fsanitize=fuzzer,address …    runs it under libFuzzer
 *   fuzz_protocol [inputs] [seed]        with any compiler: that many pseudo-random inputs (-DSTANDALONE)
 */
#include "../src/dns.h"
#include "../src/protocol.h"
#include "../src/refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void visit(struct texts texts)
{
    while (texts.count > 0) {
        struct text text = next_text(&texts);
        if (text.length > 0 && memchr(text.bytes, 0, text.length) != NULL)
            abort(); /* a text never holds a NUL */
    }
}

static void decode_all(const uint8_t *bytes, size_t length)
{
    struct host_frame frame;
    for (size_t at = 0;;) {
        size_t consumed = 0;
        const char *reason = NULL;
        enum decoded decoded = decode_host_frame(bytes + at, length - at, &frame, &consumed, &reason);
        if (decoded == DECODED_MALFORMED && reason == NULL)
            abort();
        if (decoded == DECODED_NEED_MORE && consumed <= length - at)
            abort();
        if (decoded != DECODED_FRAME)
            return;
        if (consumed < FRAME_HEADER || consumed > length - at)
            abort();
        if (frame.type == HOST_BOOT)
            visit(frame.boot.environment);
        if (frame.type == HOST_EXEC) {
            visit(frame.exec.argv);
            visit(frame.exec.environment);
        }
        at += consumed;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint8_t answer[512];
    decode_all(bytes, length);
    if (dns_error_answer(bytes, length, DNS_SERVFAIL, answer, sizeof answer) > sizeof answer)
        abort();
    struct refusal refusal;
    char line[REFUSAL_LINE_MAX];
    if (refusal_parse(bytes, length, &refusal) && refusal_line(line, &refusal, length) >= sizeof line)
        abort();
    return 0;
}

#ifdef STANDALONE

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Mostly plausible frames: a true length, a known type, small numbers where counts and lengths stand. */
static size_t make_input(uint8_t *bytes, size_t capacity)
{
    static const uint8_t TYPES[] = {1, 2, 3, 4, 5, 6, 0x10, 0x11, 0x12, 0x81, 0};
    size_t length = next_random() % capacity;
    for (size_t i = 0; i < length; i++)
        bytes[i] = next_random() % 3 == 0 ? (uint8_t)next_random() : (uint8_t)(next_random() % 4);
    if (length >= FRAME_HEADER && next_random() % 8 != 0) {
        size_t body = next_random() % 4 == 0 ? next_random() % capacity : length - FRAME_PREFIX;
        bytes[0] = bytes[1] = 0;
        bytes[2] = (uint8_t)(body >> 8);
        bytes[3] = (uint8_t)body;
        bytes[4] = TYPES[next_random() % sizeof TYPES];
    }
    return length;
}

int main(int argc, char **argv)
{
    enum { INPUT_MAX = 300 };
    unsigned long inputs = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20240607;
    printf("fuzz_protocol: %lu inputs, seed %llu\n", inputs, (unsigned long long)seed);
    state = seed | 1;
    for (unsigned long i = 0; i < inputs; i++) {
        uint8_t input[INPUT_MAX];
        size_t length = make_input(input, sizeof input);
        uint8_t *exact = malloc(length + (length == 0)); /* so that a checker sees a read past the end */
        memcpy(exact, input, length);
        LLVMFuzzerTestOneInput(exact, length);
        free(exact);
    }
    return 0;
}

#endif
