#include "dns.h"

#include "arena.h"
#include "console.h"
#include "host_socket.h"
#include "protocol.h"
#include "redirect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    QUERIES_MAX = 256,
    /* As long as the resolver waits, by our resolv.conf: on a busy machine the host needs a while for the first answer. */
    PATIENCE_MICROS = 30000000,
    HEADER = 12,
    /* Queries are one question; with EDNS options they stay far below this. */
    QUERY_MAX = 4096,
    ANSWER_MAX = 65535,
    DATAGRAM_MAX = 65507,
    ERROR_ANSWER_MAX = 512,
};

struct query {
    struct query *next;
    struct watch host;
    struct sockaddr_in client;
    uint64_t deadline;
    uint8_t *answer;
    size_t answer_length;
    size_t length;
    uint8_t bytes[];
};

static struct loop *loop;
static struct watch udp;
static struct query *first;
static struct query *dead;
static unsigned count;

/* ---- answers ---------------------------------------------------------------------------------------------------- */

/* The end of the question section, or 0 when there is not exactly one well-formed question. */
static size_t question_end(const uint8_t *query, size_t length)
{
    if (query[4] != 0 || query[5] != 1)
        return 0;
    size_t at = HEADER;
    while (at < length && query[at] != 0) {
        if (query[at] > 63)
            return 0;
        at += (size_t)query[at] + 1;
    }
    at += 1 + 4;
    return at <= length ? at : 0;
}

size_t dns_error_answer(const uint8_t *query, size_t length, enum dns_code code, uint8_t *answer, size_t capacity)
{
    enum { RESPONSE = 0x80, OPCODE_AND_RD = 0x79, RECURSION_AVAILABLE = 0x80 };
    /* A response is never answered: two such servers would answer each other for ever. */
    if (length < HEADER || (query[2] & RESPONSE) != 0)
        return 0;
    size_t end = question_end(query, length);
    bool with_question = end != 0 && end <= capacity;
    size_t size = with_question ? end : HEADER;
    if (size > capacity)
        return 0;
    memset(answer, 0, HEADER);
    memcpy(answer, query, 2);
    answer[2] = (uint8_t)(RESPONSE | (query[2] & OPCODE_AND_RD));
    answer[3] = (uint8_t)(RECURSION_AVAILABLE | code);
    answer[5] = with_question;
    memcpy(answer + HEADER, query + HEADER, size - HEADER);
    return size;
}

static void send_to_client(const struct sockaddr_in *client, const uint8_t *bytes, size_t length)
{
    /* A datagram that cannot be sent is lost, as datagrams are; the client asks again. */
    sendto(udp.fd, bytes, length, MSG_NOSIGNAL, (const struct sockaddr *)client, sizeof *client);
}

static void answer_error(const struct sockaddr_in *client, const uint8_t *query, size_t length, enum dns_code code)
{
    uint8_t answer[ERROR_ANSWER_MAX];
    size_t size = dns_error_answer(query, length, code, answer, sizeof answer);
    if (size > 0)
        send_to_client(client, answer, size);
}

/* ---- one query -------------------------------------------------------------------------------------------------- */

static void close_query(struct query *query)
{
    if (query->host.fd < 0)
        return;
    loop_close(loop, &query->host);
    struct query **link = &first;
    while (*link != query)
        link = &(*link)->next;
    *link = query->next;
    query->next = dead;
    dead = query;
    count--;
}

static void give_up(struct query *query, enum dns_code code)
{
    answer_error(&query->client, query->bytes, query->length, code);
    close_query(query);
}

static void on_answer(struct watch *watch, uint32_t events)
{
    (void)events;
    struct query *query = OWNER_OF(watch, struct query, host);
    if (query->answer == NULL)
        query->answer = must_allocate(2 + ANSWER_MAX);
    ssize_t received =
        recv(watch->fd, query->answer + query->answer_length, 2 + ANSWER_MAX - query->answer_length, 0);
    if (received < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (received <= 0) {
        give_up(query, DNS_REFUSED);
        return;
    }
    query->answer_length += (size_t)received;
    if (query->answer_length < 2)
        return;
    size_t length = (size_t)query->answer[0] << 8 | query->answer[1];
    if (query->answer_length < 2 + length)
        return;
    if (length < HEADER || length > DATAGRAM_MAX) {
        give_up(query, DNS_SERVFAIL);
        return;
    }
    send_to_client(&query->client, query->answer + 2, length);
    close_query(query);
}

/* Answers false when the host does not take it. The socket is fresh and local, so its buffer holds a whole query. */
static bool send_query(int fd, const struct caller *caller, const uint8_t *bytes, size_t length)
{
    char message[PREFACE_MAX + 2 + QUERY_MAX];
    /* The kernel tells a redirected datagram's destination through its socket alone, and only a connected one. */
    struct sockaddr_in destination = {.sin_port = htons(53)};
    if (caller->remote.sin_port != 0)
        destination = caller->remote;
    size_t size = redirect_preface(message, caller, &destination, true);
    message[size++] = (char)(length >> 8);
    message[size++] = (char)length;
    memcpy(message + size, bytes, length);
    size += length;
    return send(fd, message, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static void open_query(const struct sockaddr_in *client, const uint8_t *bytes, size_t length)
{
    int fd = count < QUERIES_MAX ? host_connect(PORT_DNS) : -EAGAIN;
    if (fd < 0) {
        answer_error(client, bytes, length, fd == -EAGAIN ? DNS_SERVFAIL : DNS_REFUSED);
        return;
    }
    struct caller caller;
    caller_find(CALLER_UDP, client, &caller);
    if (!send_query(fd, &caller, bytes, length)) {
        close(fd);
        answer_error(client, bytes, length, DNS_REFUSED);
        return;
    }
    struct query *query = must_allocate(sizeof *query + length);
    *query = (struct query){
        .next = first,
        .host = {.fd = fd, .ready = on_answer},
        .client = *client,
        .deadline = monotonic_micros() + PATIENCE_MICROS,
        .length = length,
    };
    memcpy(query->bytes, bytes, length);
    first = query;
    count++;
    loop_watch(loop, &query->host, EPOLLIN);
}

static void on_datagram(struct watch *watch, uint32_t events)
{
    (void)events;
    uint8_t bytes[QUERY_MAX];
    struct sockaddr_in client;
    socklen_t size = sizeof client;
    ssize_t length = recvfrom(watch->fd, bytes, sizeof bytes, MSG_TRUNC, (struct sockaddr *)&client, &size);
    if (length >= HEADER && length <= QUERY_MAX)
        open_query(&client, bytes, (size_t)length);
}

/* ---- loop ------------------------------------------------------------------------------------------------------- */

void dns_init(struct loop *shared_loop, int udp_socket)
{
    loop = shared_loop;
    udp = (struct watch){.fd = udp_socket, .ready = on_datagram};
    loop_watch(loop, &udp, EPOLLIN);
}

void dns_after_batch(void)
{
    uint64_t now = monotonic_micros();
    for (struct query *query = first, *next; query != NULL; query = next) {
        next = query->next;
        if (query->deadline <= now)
            give_up(query, DNS_SERVFAIL);
    }
    while (dead != NULL) {
        struct query *query = dead;
        dead = query->next;
        free(query->answer);
        free(query);
    }
}

int dns_next_timeout(void)
{
    return first == NULL ? -1 : 1000;
}
