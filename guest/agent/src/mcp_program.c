/* capsem-mcp-server as a program of its own. The agent's file is the same program under that name. */
#include "mcp_relay.h"

int main(int argc, char **argv)
{
    return mcp_server_main(argc, argv);
}
