/*
 * capsem-tool-proxy SOCKET PORT COMMAND...: runs the command, and while it runs connects whoever asks at
 * 127.0.0.1:PORT with the Unix socket, where the host decides. One process per connection: nobody holds up anybody.
 */
#include "tool_proxy.h"

#include <arpa/inet.h>
#include <errno.h>
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

enum { BACKLOG = 64, CHUNK = 65536, CONNECTIONS_MAX = 64, NOT_FOUND = 127 };

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

static _Noreturn void serve(int inside, const struct sockaddr_un *door)
{
    int outside = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (outside >= 0 && connect(outside, (const struct sockaddr *)door, sizeof *door) == 0)
        relay(inside, outside);
    _exit(0);
}

static int listen_at(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, BACKLOG) < 0) {
        fprintf(stderr, "capsem-tool-proxy: cannot listen on port %s: %s\n", port, strerror(errno));
        exit(1);
    }
    return listener;
}

/* Collects whoever ended. Answers whether it was the command. */
static bool collect(pid_t command, int *status, int *connections)
{
    for (pid_t ended; (ended = waitpid(-1, status, WNOHANG)) > 0;) {
        if (ended == command)
            return true;
        (*connections)--;
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
    int listener = listen_at(argv[2]);
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
    int status = 0, connections = 0;
    while (command > 0 && !collect(command, &status, &connections)) {
        struct pollfd ready = {.fd = connections < CONNECTIONS_MAX ? listener : -1, .events = POLLIN};
        /* The command may end between the look above and this wait: so it is not a long one. */
        if (poll(&ready, 1, 200) <= 0)
            continue;
        int inside = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (inside < 0)
            continue;
        pid_t server = fork();
        if (server == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            serve(inside, &door);
        }
        connections += server > 0;
        close(inside);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
