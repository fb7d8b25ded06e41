/* UTF-8 as the protocol means it: shortest forms only, no surrogates, nothing above U+10FFFF. */
#ifndef CAPSEM_UTF8_H
#define CAPSEM_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the valid character at `bytes` (1..4), or 0 when there is none. Requires: length > 0. */
size_t utf8_character(const uint8_t *bytes, size_t length);

#endif
