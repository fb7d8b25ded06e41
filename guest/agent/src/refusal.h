/*
 * What the sandbox's network rules refuse (IPv6, datagrams, ICMP), told to the host: one connection to port 5002 for each
 * destination and period, with a META line and a REFUSED line in place of the DST line. Nothing of a packet's content is
 * passed on. The guest has its error from the kernel already, whatever becomes of the report.
 */
#ifndef CAPSEM_REFUSAL_H
#define CAPSEM_REFUSAL_H

#include "loop.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    /* The group of the kernel's packet log that the rules write to. */
    REFUSAL_LOG_GROUP = 1,
    /* Enough for an IPv6 header and the ports behind it. */
    REFUSAL_PACKET_BYTES = 64,
    REFUSAL_LINE_MAX = 128,
};

/* A packet's addresses. For protocols without ports both ports are 0. */
struct refusal {
    uint8_t protocol;
    bool is_ipv6;
    uint8_t source[16];
    uint8_t destination[16];
    uint16_t source_port;
    uint16_t destination_port;
};

/*
 * Opens the kernel's packet log. Requires CAP_NET_ADMIN. False when the kernel has none: then nothing is told, and the
 * rules must not write to it.
 */
bool refusal_open(void);

/* For the thread that reports; does nothing if refusal_open answered false. */
void refusal_init(struct loop *loop);
void refusal_after_batch(void);
int refusal_next_timeout(void);

/* False when it is no IP packet. */
bool refusal_parse(const uint8_t *packet, size_t length, struct refusal *refusal);

/* Writes the REFUSED line, at most REFUSAL_LINE_MAX bytes; answers its length. */
size_t refusal_line(char *out, const struct refusal *refusal, uint64_t packets);

#endif
