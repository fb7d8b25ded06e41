#include "host_socket.h"

#include "console.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DIRECTORY "/run/capsem/vsock"

/* Never set in programs that the guest starts itself: they take what it left there. */
static bool is_held;

void host_hold(void)
{
    /* The working directory, since the agent's own descriptors have no name in its /proc: see the masks of the launcher. */
    if (chdir(DIRECTORY) < 0)
        console_fail_errno("entering " DIRECTORY, errno, "The sandbox needs the host's sockets there; use capsem-launch");
    is_held = true;
}

int host_connect(uint16_t port)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, is_held ? "%u" : DIRECTORY "/%u", port);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}
