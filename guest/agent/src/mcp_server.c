#include "caller.h"
#include "host_socket.h"
#include "mcp_relay.h"
#include "protocol.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CONNECT_SECONDS = 30 };

static int connect_to_host(void)
{
    return host_connect(PORT_STREAM);
}

/* Whoever started us is who speaks. */
static void name_of_parent(char *clean)
{
    char path[64], name[256];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)getppid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, name, sizeof name);
    if (fd >= 0)
        close(fd);
    while (length > 0 && name[length - 1] == '\n')
        length--;
    if (length <= 0)
        length = (ssize_t)strlen(strcpy(name, "unknown"));
    caller_clean_name(clean, name, (size_t)length);
}

int mcp_server_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    char name[CALLER_NAME_MAX + 1];
    name_of_parent(name);
    struct mcp_relay relay = {.input = STDIN_FILENO,
                              .output = STDOUT_FILENO,
                              .connect = connect_to_host,
                              .process_name = name,
                              .connect_seconds = CONNECT_SECONDS};
    return mcp_relay_run(&relay);
}
