/* Builds netlink messages in one fixed buffer, sends them at once and waits for the kernel's answers. */
#ifndef CAPSEM_NETLINK_H
#define CAPSEM_NETLINK_H

#include <stddef.h>
#include <stdint.h>

/* The whole rule set takes less than 3 KiB. */
enum { NETLINK_BATCH_MAX = 8192 };

struct netlink_batch {
    _Alignas(8) uint8_t bytes[NETLINK_BATCH_MAX];
    size_t length;
    size_t message;
    uint32_t messages;
};

/* Starts a message; `header` is the family's fixed part (ifinfomsg, nfgenmsg …). */
void netlink_begin(struct netlink_batch *batch, uint16_t type, uint16_t flags, const void *header, size_t size);
void netlink_put(struct netlink_batch *batch, uint16_t attribute, const void *value, size_t size);
void netlink_put_text(struct netlink_batch *batch, uint16_t attribute, const char *text);
void netlink_put_be32(struct netlink_batch *batch, uint16_t attribute, uint32_t value);

/* Everything put until netlink_unnest(the answer) lies inside the attribute. */
size_t netlink_nest(struct netlink_batch *batch, uint16_t attribute);
void netlink_unnest(struct netlink_batch *batch, size_t nest);

/* Answers 0, or the errno of the first refused message with its number (from 0) in `*refused`. */
int netlink_send(struct netlink_batch *batch, int protocol, uint32_t *refused);

/* The same over a socket that stays open. */
int netlink_exchange(int fd, const struct netlink_batch *batch, uint32_t *refused);

#endif
