#include "relay.h"

#include "arena.h"
#include "console.h"
#include "host_socket.h"
#include "net_setup.h"
#include "protocol.h"
#include "redirect.h"

#include <errno.h>
#include <linux/netfilter_ipv4.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RELAYS_MAX = 1024,
    CHUNK = 65536,
    /* A busy host's queue is tried again this often, for this long; then the guest sees a reset. */
    RETRY_MICROS = 10000,
    RETRY_MICROS_MAX = 5000000,
};

/* One direction. What the receiver did not take at once waits in `bytes`, and the sender is not read meanwhile. */
struct flow {
    uint8_t *bytes;
    size_t start;
    size_t length;
    bool started;
    bool ended;
    bool end_passed_on;
};

enum outcome { FLOWS, SOURCE_LOST, SINK_LOST };

struct relay {
    struct relay *next;
    struct relay *previous;
    struct watch guest;
    struct watch host;
    struct flow to_host;
    struct flow to_guest;
    uint16_t port;
    uint64_t retry_at;
    uint64_t retry_until;
    char preface[PREFACE_MAX];
    size_t preface_length;
};

struct listener {
    struct watch watch;
    uint16_t port;
};

static struct loop *loop;
static struct listener listeners[2];
static struct relay *first;
static struct relay *dead;
static unsigned count;
static uint8_t chunk[CHUNK];

/* ---- end -------------------------------------------------------------------------------------------------------- */

static void watch_listeners(void)
{
    for (int i = 0; i < 2; i++)
        loop_watch(loop, &listeners[i].watch, count < RELAYS_MAX ? EPOLLIN : 0);
}

/* Requires: with `reset` the guest sees "connection reset" at once, without it an ordinary end. */
static void close_relay(struct relay *relay, bool reset)
{
    if (relay->guest.fd < 0)
        return;
    if (reset) {
        struct linger at_once = {.l_onoff = 1, .l_linger = 0};
        setsockopt(relay->guest.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    loop_close(loop, &relay->guest);
    loop_close(loop, &relay->host);
    if (relay->previous != NULL)
        relay->previous->next = relay->next;
    else
        first = relay->next;
    if (relay->next != NULL)
        relay->next->previous = relay->previous;
    relay->next = dead;
    dead = relay;
    count--;
    watch_listeners();
}

/* ---- flow ------------------------------------------------------------------------------------------------------- */

static void hold(struct flow *flow, const void *bytes, size_t length)
{
    flow->bytes = must_reallocate(flow->bytes, length);
    memcpy(flow->bytes, bytes, length);
    flow->start = 0;
    flow->length = length;
}

static enum outcome push(struct flow *flow, int to)
{
    while (flow->length > 0) {
        ssize_t sent = send(to, flow->bytes + flow->start, flow->length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN ? FLOWS : SINK_LOST;
        flow->start += (size_t)sent;
        flow->length -= (size_t)sent;
    }
    free(flow->bytes);
    flow->bytes = NULL;
    return FLOWS;
}

static void pass_end_on(struct flow *flow, int to)
{
    if (flow->ended && flow->length == 0 && !flow->end_passed_on) {
        flow->end_passed_on = true;
        shutdown(to, SHUT_WR);
    }
}

/* Reads one chunk and passes it on. */
static enum outcome pull(struct flow *flow, int from, int to)
{
    if (flow->ended || flow->length > 0)
        return FLOWS;
    ssize_t received = recv(from, chunk, sizeof chunk, 0);
    if (received < 0)
        return errno == EAGAIN || errno == EINTR ? FLOWS : SOURCE_LOST;
    if (received == 0) {
        flow->ended = true;
        return FLOWS;
    }
    flow->started = true;
    ssize_t sent = send(to, chunk, (size_t)received, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return SINK_LOST;
    if (sent < 0)
        sent = 0;
    if (sent < received)
        hold(flow, chunk + sent, (size_t)(received - sent));
    return FLOWS;
}

/* The sink takes no more. What the other direction still carries (a refusal's text) must arrive all the same. */
static void abandon(struct flow *flow)
{
    flow->length = 0;
    flow->ended = true;
    flow->end_passed_on = true;
}

static void watch_side(struct watch *side, const struct flow *incoming, const struct flow *outgoing)
{
    uint32_t events = 0;
    if (!incoming->ended && incoming->length == 0)
        events |= EPOLLIN;
    if (outgoing->length > 0)
        events |= EPOLLOUT;
    if (events == 0 && incoming->ended)
        loop_watch_hangup(loop, side);
    else
        loop_watch(loop, side, events);
}

static void settle(struct relay *relay)
{
    pass_end_on(&relay->to_host, relay->host.fd);
    pass_end_on(&relay->to_guest, relay->guest.fd);
    if (relay->to_host.end_passed_on && relay->to_guest.end_passed_on) {
        close_relay(relay, false);
        return;
    }
    watch_side(&relay->guest, &relay->to_host, &relay->to_guest);
    watch_side(&relay->host, &relay->to_guest, &relay->to_host);
}

static void on_guest(struct watch *watch, uint32_t events)
{
    struct relay *relay = OWNER_OF(watch, struct relay, guest);
    if (relay->host.fd < 0) { /* still waiting for the host; only a hang-up is watched */
        close_relay(relay, false);
        return;
    }
    bool gone = (events & (EPOLLHUP | EPOLLERR)) && relay->to_host.ended;
    if (gone || push(&relay->to_guest, relay->guest.fd) != FLOWS) {
        close_relay(relay, true);
        return;
    }
    switch (pull(&relay->to_host, relay->guest.fd, relay->host.fd)) {
    case SOURCE_LOST:
        close_relay(relay, true);
        return;
    case SINK_LOST:
        abandon(&relay->to_host);
        break;
    case FLOWS:
        break;
    }
    settle(relay);
}

static void on_host(struct watch *watch, uint32_t events)
{
    struct relay *relay = OWNER_OF(watch, struct relay, host);
    if ((events & EPOLLOUT) && push(&relay->to_host, relay->host.fd) != FLOWS)
        abandon(&relay->to_host);
    if (pull(&relay->to_guest, relay->host.fd, relay->guest.fd) != FLOWS) {
        close_relay(relay, true);
        return;
    }
    bool refused = relay->to_guest.ended && !relay->to_guest.started;
    bool host_closed = relay->to_guest.ended && (events & EPOLLHUP);
    if (refused || host_closed)
        close_relay(relay, refused);
    else
        settle(relay);
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

static void connect_host(struct relay *relay)
{
    int fd = host_connect(relay->port);
    if (fd == -EAGAIN && monotonic_micros() < relay->retry_until) {
        relay->retry_at = monotonic_micros() + RETRY_MICROS;
        loop_watch_hangup(loop, &relay->guest);
        return;
    }
    relay->retry_at = 0;
    if (fd < 0) {
        close_relay(relay, true);
        return;
    }
    relay->host = (struct watch){.fd = fd, .ready = on_host};
    hold(&relay->to_host, relay->preface, relay->preface_length);
    if (push(&relay->to_host, fd) == FLOWS)
        settle(relay);
    else
        close_relay(relay, true);
}

static void open_relay(int fd, uint16_t port, const struct sockaddr_in *peer)
{
    struct sockaddr_in destination;
    socklen_t size = sizeof destination;
    uint16_t own_port = htons(port == PORT_DNS ? REDIRECT_DNS_PORT : REDIRECT_TCP_PORT);
    if (getsockopt(fd, SOL_IP, SO_ORIGINAL_DST, &destination, &size) < 0 ||
        (destination.sin_port == own_port && destination.sin_addr.s_addr == htonl(INADDR_LOOPBACK))) {
        close(fd); /* not redirected: somebody connected to the listener itself */
        return;
    }
    struct relay *relay = must_allocate(sizeof *relay);
    *relay = (struct relay){
        .next = first,
        .guest = {.fd = fd, .ready = on_guest},
        .host = {.fd = -1},
        .port = port,
        .retry_until = monotonic_micros() + RETRY_MICROS_MAX,
    };
    if (first != NULL)
        first->previous = relay;
    first = relay;
    count++;
    struct caller caller;
    caller_find(CALLER_TCP, peer, &caller);
    relay->preface_length = redirect_preface(relay->preface, &caller, &destination, false);
    connect_host(relay);
    watch_listeners();
}

static void on_connection(struct watch *watch, uint32_t events)
{
    (void)events;
    struct listener *listener = OWNER_OF(watch, struct listener, watch);
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    int fd = accept4(watch->fd, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0)
        open_relay(fd, listener->port, &peer);
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        usleep(RETRY_MICROS); /* the connection stays in the queue and would wake us at once */
}

void relay_init(struct loop *shared_loop, int tcp_listener, int dns_listener)
{
    loop = shared_loop;
    listeners[0] = (struct listener){{.fd = tcp_listener, .ready = on_connection}, PORT_STREAM};
    listeners[1] = (struct listener){{.fd = dns_listener, .ready = on_connection}, PORT_DNS};
    watch_listeners();
}

void relay_after_batch(void)
{
    uint64_t now = monotonic_micros();
    for (struct relay *relay = first, *next; relay != NULL; relay = next) {
        next = relay->next;
        if (relay->retry_at != 0 && relay->retry_at <= now)
            connect_host(relay);
    }
    while (dead != NULL) {
        struct relay *relay = dead;
        dead = relay->next;
        free(relay->to_host.bytes);
        free(relay->to_guest.bytes);
        free(relay);
    }
}

int relay_next_timeout(void)
{
    for (struct relay *relay = first; relay != NULL; relay = relay->next)
        if (relay->retry_at != 0)
            return RETRY_MICROS / 1000;
    return -1;
}
