#include "netlink.h"

#include "console.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static void *append(struct netlink_batch *batch, size_t size)
{
    size_t padded = NLMSG_ALIGN(size);
    if (padded > sizeof batch->bytes - batch->length)
        console_fail("a netlink batch is larger than its buffer", "This is a bug in capsem-agent; please report it");
    void *at = batch->bytes + batch->length;
    memset(at, 0, padded);
    batch->length += padded;
    struct nlmsghdr *message = (struct nlmsghdr *)(batch->bytes + batch->message);
    message->nlmsg_len = (uint32_t)(batch->length - batch->message);
    return at;
}

void netlink_begin(struct netlink_batch *batch, uint16_t type, uint16_t flags, const void *header, size_t size)
{
    batch->message = batch->length;
    struct nlmsghdr *message = append(batch, sizeof *message);
    message->nlmsg_type = type;
    message->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
    message->nlmsg_seq = batch->messages++;
    memcpy(append(batch, size), header, size);
}

void netlink_put(struct netlink_batch *batch, uint16_t attribute, const void *value, size_t size)
{
    struct nlattr *header = append(batch, NLA_HDRLEN + size);
    header->nla_type = attribute;
    header->nla_len = (uint16_t)(NLA_HDRLEN + size);
    memcpy((uint8_t *)header + NLA_HDRLEN, value, size);
}

void netlink_put_text(struct netlink_batch *batch, uint16_t attribute, const char *text)
{
    netlink_put(batch, attribute, text, strlen(text) + 1);
}

void netlink_put_be32(struct netlink_batch *batch, uint16_t attribute, uint32_t value)
{
    value = htonl(value);
    netlink_put(batch, attribute, &value, sizeof value);
}

size_t netlink_nest(struct netlink_batch *batch, uint16_t attribute)
{
    size_t nest = batch->length;
    struct nlattr *header = append(batch, NLA_HDRLEN);
    header->nla_type = attribute | NLA_F_NESTED;
    return nest;
}

void netlink_unnest(struct netlink_batch *batch, size_t nest)
{
    struct nlattr *header = (struct nlattr *)(batch->bytes + nest);
    header->nla_len = (uint16_t)(batch->length - nest);
}

static uint32_t acknowledgements_due(const struct netlink_batch *batch)
{
    uint32_t due = 0;
    for (size_t at = 0; at < batch->length;) {
        const struct nlmsghdr *message = (const struct nlmsghdr *)(batch->bytes + at);
        due += (message->nlmsg_flags & NLM_F_ACK) != 0;
        at += NLMSG_ALIGN(message->nlmsg_len);
    }
    return due;
}

static int await_answers(int fd, uint32_t due, uint32_t *refused)
{
    _Alignas(8) uint8_t answer[8192];
    while (due > 0) {
        ssize_t received = recv(fd, answer, sizeof answer, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received < 0)
            return errno;
        size_t left = (size_t)received;
        for (struct nlmsghdr *message = (struct nlmsghdr *)answer; NLMSG_OK(message, left);
             message = NLMSG_NEXT(message, left)) {
            if (message->nlmsg_type != NLMSG_ERROR)
                continue;
            const struct nlmsgerr *reply = NLMSG_DATA(message);
            if (reply->error != 0) {
                *refused = message->nlmsg_seq;
                return -reply->error;
            }
            if (due > 0)
                due--;
        }
    }
    return 0;
}

int netlink_exchange(int fd, const struct netlink_batch *batch, uint32_t *refused)
{
    *refused = 0;
    struct timeval patience = {.tv_sec = 5};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(fd, batch->bytes, batch->length, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return errno;
    return await_answers(fd, acknowledgements_due(batch), refused);
}

int netlink_send(struct netlink_batch *batch, int protocol, uint32_t *refused)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (fd < 0)
        return errno;
    int error = netlink_exchange(fd, batch, refused);
    close(fd);
    return error;
}
