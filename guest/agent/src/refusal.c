#include "refusal.h"

#include "caller.h"
#include "console.h"
#include "host_socket.h"
#include "netlink.h"
#include "protocol.h"
#include "redirect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    /* Destinations told of at a time; packets to more of them are only counted, together. */
    PLACES_MAX = 64,
    /* A destination is told of at most this often. */
    PERIOD_MICROS = 10000000,
    /* Packets looked at before other traffic has its turn. */
    PACKETS_PER_TURN = 64,
    PACKET_MESSAGE_MAX = 4096,
};

struct place {
    struct refusal refusal;
    /* Packets since the last report. */
    uint64_t packets;
    uint64_t next_report;
};

static struct loop *loop;
static struct watch log_watch = {.fd = -1};
static struct place places[PLACES_MAX];
static unsigned count;
static struct place others;

/* ---- the packet log --------------------------------------------------------------------------------------------- */

static void begin_config(struct netlink_batch *batch)
{
    struct nfgenmsg header = {.version = NFNETLINK_V0, .res_id = htons(REFUSAL_LOG_GROUP)};
    netlink_begin(batch, (uint16_t)(NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG), NLM_F_ACK, &header, sizeof header);
}

bool refusal_open(void)
{
    struct netlink_batch batch = {0};
    begin_config(&batch);
    struct nfulnl_msg_config_cmd bind_group = {.command = NFULNL_CFG_CMD_BIND};
    netlink_put(&batch, NFULA_CFG_CMD, &bind_group, sizeof bind_group);
    begin_config(&batch);
    struct nfulnl_msg_config_mode mode = {.copy_mode = NFULNL_COPY_PACKET, .copy_range = htonl(REFUSAL_PACKET_BYTES)};
    netlink_put(&batch, NFULA_CFG_MODE, &mode, sizeof mode);
    netlink_put_be32(&batch, NFULA_CFG_QTHRESH, 1);

    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (fd < 0)
        return false;
    uint32_t refused;
    int error = netlink_exchange(fd, &batch, &refused);
    if (error != 0) {
        close(fd);
        console_line("refused datagrams and IPv6 connections will not be recorded: the kernel has no packet log "
                     "(nfnetlink_log): %s",
                     strerror(error));
        return false;
    }
    log_watch.fd = fd;
    return true;
}

/* ---- packets ---------------------------------------------------------------------------------------------------- */

bool refusal_parse(const uint8_t *packet, size_t length, struct refusal *refusal)
{
    enum { IPV4_HEADER = 20, IPV6_HEADER = 40, PORTS = 4, MORE_FRAGMENTS_BEFORE = 0x1FFF };
    *refusal = (struct refusal){0};
    if (length < IPV4_HEADER)
        return false;
    size_t header;
    bool is_later_fragment = false;
    if (packet[0] >> 4 == 4) {
        header = (size_t)(packet[0] & 15) * 4;
        refusal->protocol = packet[9];
        is_later_fragment = ((packet[6] << 8 | packet[7]) & MORE_FRAGMENTS_BEFORE) != 0;
        memcpy(refusal->source, packet + 12, 4);
        memcpy(refusal->destination, packet + 16, 4);
    } else if (packet[0] >> 4 == 6 && length >= IPV6_HEADER) {
        header = IPV6_HEADER;
        refusal->is_ipv6 = true;
        refusal->protocol = packet[6];
        memcpy(refusal->source, packet + 8, 16);
        memcpy(refusal->destination, packet + 24, 16);
    } else {
        return false;
    }
    bool has_ports = refusal->protocol == IPPROTO_UDP || refusal->protocol == IPPROTO_TCP;
    if (has_ports && !is_later_fragment && header >= IPV4_HEADER && length >= header + PORTS) {
        refusal->source_port = (uint16_t)(packet[header] << 8 | packet[header + 1]);
        refusal->destination_port = (uint16_t)(packet[header + 2] << 8 | packet[header + 3]);
    }
    return true;
}

size_t refusal_line(char *out, const struct refusal *refusal, uint64_t packets)
{
    char address[INET6_ADDRSTRLEN];
    char other[16];
    inet_ntop(refusal->is_ipv6 ? AF_INET6 : AF_INET, refusal->destination, address, sizeof address);
    snprintf(other, sizeof other, "ip-%u", refusal->protocol);
    const char *protocol = refusal->protocol == IPPROTO_UDP      ? "udp"
                           : refusal->protocol == IPPROTO_TCP    ? "tcp"
                           : refusal->protocol == IPPROTO_ICMP   ? "icmp"
                           : refusal->protocol == IPPROTO_ICMPV6 ? "icmpv6"
                           : refusal->protocol == 0              ? "any"
                                                                 : other;
    return (size_t)snprintf(out, REFUSAL_LINE_MAX, "%cCAPSEM_REFUSED:%s %s%s%s:%u %llu\n", 0, protocol,
                            refusal->is_ipv6 ? "[" : "", address, refusal->is_ipv6 ? "]" : "",
                            refusal->destination_port, (unsigned long long)packets);
}

static void find_caller(const struct refusal *refusal, struct caller *caller)
{
    *caller = (struct caller){.name = "unknown"};
    if (refusal->source_port == 0)
        return;
    /* Of an IPv6 address the last word: a socket that sends from the loopback has ::1, the only one there is. */
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(refusal->source_port)};
    memcpy(&local.sin_addr, refusal->source + (refusal->is_ipv6 ? 12 : 0), 4);
    caller_find(refusal->protocol == IPPROTO_TCP ? CALLER_TCP : CALLER_UDP, &local, caller);
}

/* Answers false when the host does not take it now; the packets are told of later. */
static bool tell(const struct refusal *refusal, uint64_t packets)
{
    int fd = host_connect(PORT_STREAM);
    if (fd < 0)
        return false;
    struct caller caller;
    find_caller(refusal, &caller);
    char message[PREFACE_MAX + REFUSAL_LINE_MAX];
    size_t size = (size_t)snprintf(message, PREFACE_MAX, "%cCAPSEM_META:%s\n", 0, caller.name);
    size += refusal_line(message + size, refusal, packets);
    bool told = send(fd, message, size, MSG_NOSIGNAL) == (ssize_t)size;
    close(fd);
    return told;
}

static void report(struct place *place, uint64_t now)
{
    if (tell(&place->refusal, place->packets))
        place->packets = 0;
    place->next_report = now + PERIOD_MICROS;
}

static bool is_same_place(const struct refusal *one, const struct refusal *other)
{
    return one->protocol == other->protocol && one->is_ipv6 == other->is_ipv6 &&
           one->destination_port == other->destination_port &&
           memcmp(one->destination, other->destination, sizeof one->destination) == 0;
}

static void on_packet(const uint8_t *packet, size_t length)
{
    struct refusal refusal;
    if (!refusal_parse(packet, length, &refusal))
        return;
    for (unsigned i = 0; i < count; i++) {
        if (is_same_place(&places[i].refusal, &refusal)) {
            places[i].packets++;
            return;
        }
    }
    if (count == PLACES_MAX) {
        others.packets++;
        return;
    }
    struct place *place = &places[count++];
    *place = (struct place){.refusal = refusal, .packets = 1};
    report(place, monotonic_micros());
}

static void on_message(const struct nlmsghdr *message)
{
    if (message->nlmsg_type != (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET) ||
        message->nlmsg_len < NLMSG_LENGTH(sizeof(struct nfgenmsg)))
        return;
    const uint8_t *at = (const uint8_t *)message + NLMSG_LENGTH(NLMSG_ALIGN(sizeof(struct nfgenmsg)));
    size_t left = message->nlmsg_len - NLMSG_LENGTH(NLMSG_ALIGN(sizeof(struct nfgenmsg)));
    while (left >= NLA_HDRLEN) {
        const struct nlattr *attribute = (const struct nlattr *)at;
        if (attribute->nla_len < NLA_HDRLEN || attribute->nla_len > left)
            return;
        if ((attribute->nla_type & NLA_TYPE_MASK) == NFULA_PAYLOAD) {
            on_packet(at + NLA_HDRLEN, attribute->nla_len - (size_t)NLA_HDRLEN);
            return;
        }
        size_t step = NLA_ALIGN(attribute->nla_len);
        if (step > left)
            return;
        at += step;
        left -= step;
    }
}

static void on_readable(struct watch *watch, uint32_t events)
{
    (void)events;
    _Alignas(8) uint8_t bytes[PACKET_MESSAGE_MAX];
    for (int i = 0; i < PACKETS_PER_TURN; i++) {
        ssize_t received = recv(watch->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (received < 0 && errno == ENOBUFS) {
            others.packets++; /* at least one: the kernel does not tell how many it lost */
            continue;
        }
        if (received <= 0)
            return;
        size_t left = (size_t)received;
        for (const struct nlmsghdr *message = (struct nlmsghdr *)bytes; NLMSG_OK(message, left);
             message = NLMSG_NEXT(message, left))
            on_message(message);
    }
}

/* ---- loop ------------------------------------------------------------------------------------------------------- */

void refusal_init(struct loop *shared_loop)
{
    loop = shared_loop;
    if (log_watch.fd < 0)
        return;
    log_watch.ready = on_readable;
    loop_watch(loop, &log_watch, EPOLLIN);
}

void refusal_after_batch(void)
{
    uint64_t now = monotonic_micros();
    for (unsigned i = 0; i < count;) {
        if (places[i].next_report > now) {
            i++;
        } else if (places[i].packets > 0) {
            report(&places[i], now);
            i++;
        } else {
            places[i] = places[--count];
        }
    }
    if (others.packets > 0 && others.next_report <= now)
        report(&others, now);
}

int refusal_next_timeout(void)
{
    return count > 0 || others.packets > 0 ? 1000 : -1;
}
