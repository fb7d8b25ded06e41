/*
 * Names of hosts for a program that has no resolver: each name gets an address of its own, which means nothing outside,
 * and whoever connects to that address means that name. No question leaves the sandbox.
 */
#ifndef CAPSEM_TOOL_NAMES_H
#define CAPSEM_TOOL_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { TOOL_NAME_MAX = 254, TOOL_ANSWER_MAX = 512 };

/* The answer to a DNS query, at most TOOL_ANSWER_MAX bytes; 0 when it is not one that may be answered. */
size_t tool_names_answer(const uint8_t *query, size_t length, uint8_t *answer);

/* The name behind an address (in the host's byte order), or NULL. */
const char *tool_names_at(uint32_t address);

#endif
