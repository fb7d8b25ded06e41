#include "tool_names.h"

#include "dns.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>

enum {
    /* A program that asks for more names than this is not looking for hosts. */
    NAMES_MAX = 4096,
    HEADER = 12,
    TYPE_A = 1,
    CLASS_IN = 1,
    NO_ERROR = 0,
    NAME_UNKNOWN = 3,
    SECONDS_VALID = 60,
};

/* 198.18.0.0/15 is set aside for measurements (RFC 2544): nobody in the world is there. */
static const uint32_t FIRST_ADDRESS = 0xC6120001;

static char names[NAMES_MAX][TOOL_NAME_MAX];
static uint32_t count;

static bool is_host_byte(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

/* Reads the question's name in small letters; answers where it ends, or 0 when it is not a host's name. */
static size_t read_name(const uint8_t *query, size_t length, char *name)
{
    size_t at = HEADER, size = 0;
    while (at < length && query[at] != 0) {
        size_t label = query[at++];
        if (label > 63 || at + label >= length || size + label + 1 >= TOOL_NAME_MAX)
            return 0;
        if (size > 0)
            name[size++] = '.';
        for (size_t i = 0; i < label; i++, at++) {
            uint8_t byte = query[at] >= 'A' && query[at] <= 'Z' ? query[at] | 0x20 : query[at];
            if (!is_host_byte(byte))
                return 0;
            name[size++] = (char)byte;
        }
    }
    name[size] = '\0';
    return at < length && size > 0 ? at + 1 : 0;
}

static bool is_localhost(const char *name)
{
    static const char LOCALHOST[] = ".localhost";
    size_t size = strlen(name), end = sizeof LOCALHOST - 1;
    return strcmp(name, LOCALHOST + 1) == 0 || (size > end && strcmp(name + size - end, LOCALHOST) == 0);
}

/* 0 when there are too many. */
static uint32_t address_of(const char *name)
{
    if (is_localhost(name))
        return INADDR_LOOPBACK;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return FIRST_ADDRESS + i;
    if (count == NAMES_MAX)
        return 0;
    strcpy(names[count], name);
    return FIRST_ADDRESS + count++;
}

const char *tool_names_at(uint32_t address)
{
    return address >= FIRST_ADDRESS && address - FIRST_ADDRESS < count ? names[address - FIRST_ADDRESS] : NULL;
}

static size_t put_address(uint8_t *answer, size_t size, uint32_t address)
{
    const uint8_t record[] = {
        0xC0, HEADER, 0, TYPE_A, 0, CLASS_IN, 0, 0, 0, SECONDS_VALID, 0, sizeof address,
        (uint8_t)(address >> 24), (uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address,
    };
    memcpy(answer + size, record, sizeof record);
    answer[7] = 1;
    return size + sizeof record;
}

size_t tool_names_answer(const uint8_t *query, size_t length, uint8_t *answer)
{
    enum { RECORD = 16 };
    char name[TOOL_NAME_MAX];
    size_t size = dns_error_answer(query, length, DNS_SERVFAIL, answer, TOOL_ANSWER_MAX - RECORD);
    size_t end = size > HEADER ? read_name(query, length, name) : 0;
    if (size == 0)
        return 0;
    uint8_t *code = answer + 3;
    if (end == 0) {
        *code = (uint8_t)((*code & 0xF0) | NAME_UNKNOWN);
        return size;
    }
    bool is_address = query[end] == 0 && query[end + 1] == TYPE_A && query[end + 2] == 0 && query[end + 3] == CLASS_IN;
    uint32_t address = address_of(name);
    if (address == 0)
        return size;
    /* Of the other kinds there is none: whoever asks for IPv6 as well goes on with what there is. */
    *code = (uint8_t)((*code & 0xF0) | NO_ERROR);
    return is_address ? put_address(answer, size, address) : size;
}
