#include "redirect.h"

#include "console.h"
#include "dns.h"
#include "net_setup.h"
#include "refusal.h"
#include "relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 256 };

static int tcp_listener;
static int dns_tcp_listener;
static int dns_udp_socket;

static int bind_local(int type, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    int fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        (type == SOCK_STREAM && listen(fd, BACKLOG) < 0))
        console_fail_errno("opening the redirect listeners", errno,
                           "The loopback of the sandbox must be up and its ports 15001 and 15353 free");
    return fd;
}

void redirect_listen(void)
{
    tcp_listener = bind_local(SOCK_STREAM, REDIRECT_TCP_PORT);
    dns_tcp_listener = bind_local(SOCK_STREAM, REDIRECT_DNS_PORT);
    dns_udp_socket = bind_local(SOCK_DGRAM, REDIRECT_DNS_PORT);
}

size_t redirect_preface(char *out, const struct caller *caller, const struct sockaddr_in *destination, bool datagram)
{
    char address[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &destination->sin_addr, address, sizeof address);
    size_t size = (size_t)snprintf(out, PREFACE_MAX, "%cCAPSEM_META:%s\n", 0, caller->name);
    if (caller->path[0] != '\0')
        size += (size_t)snprintf(out + size, PREFACE_MAX - size, "%cCAPSEM_EXE:%s\n", 0, caller->path);
    if (caller->script[0] != '\0')
        size += (size_t)snprintf(out + size, PREFACE_MAX - size, "%cCAPSEM_SCRIPT:%s\n", 0, caller->script);
    return size + (size_t)snprintf(out + size, PREFACE_MAX - size, "%cCAPSEM_DST:%s:%u%s\n", 0, address,
                                   ntohs(destination->sin_port), datagram ? "/udp" : "");
}

static void after_batch(void *context)
{
    (void)context;
    relay_after_batch();
    dns_after_batch();
    refusal_after_batch();
}

/* -1 is never. */
static int sooner(int one, int other)
{
    return one < 0 || (other >= 0 && other < one) ? other : one;
}

static int next_timeout(void *context)
{
    (void)context;
    return sooner(relay_next_timeout(), sooner(dns_next_timeout(), refusal_next_timeout()));
}

static void *run(void *unused)
{
    (void)unused;
    static struct loop loop = {.batch_done = after_batch, .next_timeout = next_timeout};
    loop_init(&loop);
    relay_init(&loop, tcp_listener, dns_tcp_listener);
    dns_init(&loop, dns_udp_socket);
    refusal_init(&loop);
    loop_run(&loop);
}

void redirect_start(void)
{
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run, NULL);
    if (error != 0)
        console_fail_errno("starting the redirect thread", error, "The host may be out of memory or processes");
    pthread_setname_np(thread, "redirect");
}
