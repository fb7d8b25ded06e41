/* One binary, several programs: the name it is called by chooses. */
#include "init.h"
#include "mcp_relay.h"
#include "tool_proxy.h"

#include <string.h>

struct program {
    const char *name;
    int (*main)(int argc, char **argv);
};

/* The first is also what an unknown name gets: the launcher may bind the file under any name. */
static const struct program PROGRAMS[] = {
    {"capsem-agent", init_main},
    {"capsem-mcp-server", mcp_server_main},
    {"capsem-tool-proxy", tool_proxy_main},
};

int main(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "";
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < sizeof PROGRAMS / sizeof *PROGRAMS; i++)
        if (strcmp(name, PROGRAMS[i].name) == 0)
            return PROGRAMS[i].main(argc, argv);
    return PROGRAMS[0].main(argc, argv);
}
