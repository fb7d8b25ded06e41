/*
 * capsem-tool-proxy SOCKET PORT COMMAND...: runs the command, and while it runs connects it with the Unix socket, where
 * the host decides: whoever asks at 127.0.0.1:PORT as of a proxy, and whoever connects to any other address, on whose
 * behalf we ask. Names get addresses that only we know. One process per connection: nobody holds up anybody.
 */
#include "tool_proxy.h"

#include "net_setup.h"
#include "privileges.h"
#include "seccomp.h"
#include "tool_names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BACKLOG = 64, CHUNK = 65536, CONNECTIONS_MAX = 64, NOT_FOUND = 127, DNS_PORT = 53, ANSWER_HEAD_MAX = 4096, FULL_PAUSE_MICROS = 10000 };

/* What we listen at. */
enum { PROXY, REDIRECTED, NAMES, PLACES };

static bool copy(int from, int to)
{
    static char chunk[CHUNK];
    ssize_t count = read(from, chunk, sizeof chunk);
    for (ssize_t sent = 0; sent < count;) {
        ssize_t more = write(to, chunk + sent, (size_t)(count - sent));
        if (more < 0)
            return false;
        sent += more;
    }
    return count > 0;
}

static void relay(int inside, int outside)
{
    struct pollfd ends[2] = {{.fd = inside, .events = POLLIN}, {.fd = outside, .events = POLLIN}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        if (poll(ends, 2, -1) < 0)
            return;
        for (int i = 0; i < 2; i++) {
            int other = i == 0 ? outside : inside;
            if (ends[i].fd >= 0 && ends[i].revents != 0 && !copy(ends[i].fd, other)) {
                shutdown(other, SHUT_WR);
                ends[i].fd = -1;
            }
        }
    }
}

/* Asks the host for the way, as of any proxy. Answers whether it is open; what follows belongs to the command. */
static bool ask_for_way(int outside, const char *host, unsigned port)
{
    char request[2 * TOOL_NAME_MAX + 64];
    int length = snprintf(request, sizeof request, "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n\r\n", host, port, host, port);
    if (write(outside, request, (size_t)length) != length)
        return false;
    char head[ANSWER_HEAD_MAX + 1];
    size_t size = 0;
    /* Byte by byte, so as not to take what is not ours. */
    for (; size < ANSWER_HEAD_MAX && (size < 4 || memcmp(head + size - 4, "\r\n\r\n", 4) != 0); size++)
        if (read(outside, head + size, 1) != 1)
            return false;
    return size >= 12 && memcmp(head, "HTTP/1.1 200", 12) == 0;
}

static bool ask_for_redirected(int inside, int outside)
{
    struct sockaddr_in wanted;
    socklen_t size = sizeof wanted;
    if (getsockopt(inside, SOL_IP, SO_ORIGINAL_DST, &wanted, &size) < 0)
        return false;
    char address[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &wanted.sin_addr, address, sizeof address);
    const char *name = tool_names_at(ntohl(wanted.sin_addr.s_addr));
    return ask_for_way(outside, name != NULL ? name : address, ntohs(wanted.sin_port));
}

static _Noreturn void serve(int inside, const struct sockaddr_un *door, bool redirected)
{
    const struct linger at_once = {.l_onoff = 1};
    int outside = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool open = outside >= 0 && connect(outside, (const struct sockaddr *)door, sizeof *door) == 0 &&
                (!redirected || ask_for_redirected(inside, outside));
    if (open)
        relay(inside, outside);
    else /* Refused is not the same as empty: the command shall see an error. */
        setsockopt(inside, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(inside);
    _exit(0);
}

static int listen_at(int type, unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    int listener = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
        (type == SOCK_STREAM && listen(listener, BACKLOG) < 0)) {
        fprintf(stderr, "capsem-tool-proxy: cannot listen on port %u: %s\n", port, strerror(errno));
        exit(1);
    }
    return listener;
}

static void tell_address(int socket)
{
    uint8_t query[TOOL_ANSWER_MAX], answer[TOOL_ANSWER_MAX];
    struct sockaddr_in client;
    socklen_t size = sizeof client;
    ssize_t length = recvfrom(socket, query, sizeof query, MSG_DONTWAIT, (struct sockaddr *)&client, &size);
    size_t told = length > 0 ? tool_names_answer(query, (size_t)length, answer) : 0;
    if (told > 0)
        sendto(socket, answer, told, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&client, size);
}

/* Who serves a connection each; 0 is a free place. We are pid 1, so that others end as our children, too. */
static pid_t servers[CONNECTIONS_MAX];

static pid_t *place_of(pid_t server)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        if (servers[i] == server)
            return &servers[i];
    return NULL;
}

static void welcome(int listener, const struct sockaddr_un *door, bool redirected, pid_t *place)
{
    int inside = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (inside < 0)
        return;
    pid_t server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(inside, door, redirected);
    }
    close(inside);
    *place = server > 0 ? server : 0;
}

/* Collects whoever ended. Answers whether it was the command. */
static bool collect(pid_t command, int *status)
{
    for (pid_t ended; (ended = waitpid(-1, status, WNOHANG)) > 0;) {
        if (ended == command)
            return true;
        pid_t *place = place_of(ended);
        if (place != NULL)
            *place = 0;
    }
    return false;
}

static void noticed(int number)
{
    (void)number; /* Only there to wake accept. */
}

int tool_proxy_main(int argc, char **argv)
{
    struct sockaddr_un door = {.sun_family = AF_UNIX};
    if (argc < 4 || strlen(argv[1]) >= sizeof door.sun_path) {
        fputs("usage: capsem-tool-proxy SOCKET PORT COMMAND...\n", stderr);
        return 2;
    }
    strcpy(door.sun_path, argv[1]);
    net_setup_redirect();
    struct pollfd places[PLACES] = {
        [PROXY] = {.fd = listen_at(SOCK_STREAM, (unsigned)atoi(argv[2])), .events = POLLIN},
        [REDIRECTED] = {.fd = listen_at(SOCK_STREAM, REDIRECT_TCP_PORT), .events = POLLIN},
        [NAMES] = {.fd = listen_at(SOCK_DGRAM, DNS_PORT), .events = POLLIN},
    };
    privileges_drop_capabilities();
    /* Not by bwrap: the network of this sandbox could not have been set up under it. */
    seccomp_install(getenv(TOOL_MAKES_NAMESPACES) != NULL);
    unsetenv(TOOL_MAKES_NAMESPACES);
    struct sigaction wake = {.sa_handler = noticed};
    sigaction(SIGCHLD, &wake, NULL);
    signal(SIGPIPE, SIG_IGN);
    pid_t command = fork();
    if (command == 0) {
        signal(SIGCHLD, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        execvp(argv[3], argv + 3);
        fprintf(stderr, "capsem-tool-proxy: cannot run %s: %s\n", argv[3], strerror(errno));
        _exit(NOT_FOUND);
    }
    /* The command's own: if we kept them, nobody would notice that it closed them. */
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    int status = 0;
    while (command > 0 && !collect(command, &status)) {
        /* The command may end between the look above and this wait: so it is not a long one. */
        if (poll(places, PLACES, 200) <= 0)
            continue;
        if (places[NAMES].revents != 0)
            tell_address(places[NAMES].fd);
        for (int i = PROXY; i <= REDIRECTED; i++) {
            pid_t *place = place_of(0);
            if (places[i].revents != 0 && place != NULL)
                welcome(places[i].fd, &door, i == REDIRECTED, place);
        }
        if (place_of(0) == NULL)
            usleep(FULL_PAUSE_MICROS);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
