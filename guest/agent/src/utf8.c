#include "utf8.h"

#include <stdbool.h>

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

size_t utf8_character(const uint8_t *bytes, size_t length)
{
    uint8_t first = bytes[0];
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return length >= 2 && is_continuation(bytes[1]) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        if (length < 3 || !is_continuation(bytes[1]) || !is_continuation(bytes[2]))
            return 0;
        bool overlong = first == 0xE0 && bytes[1] < 0xA0;
        bool surrogate = first == 0xED && bytes[1] > 0x9F;
        return overlong || surrogate ? 0 : 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if (length < 4 || !is_continuation(bytes[1]) || !is_continuation(bytes[2]) || !is_continuation(bytes[3]))
            return 0;
        bool overlong = first == 0xF0 && bytes[1] < 0x90;
        bool beyond = first == 0xF4 && bytes[1] > 0x8F;
        return overlong || beyond ? 0 : 4;
    }
    return 0;
}
