/* stdio on one side, frames to the host on the other: what capsem-mcp-server does. */
#ifndef CAPSEM_MCP_RELAY_H
#define CAPSEM_MCP_RELAY_H

struct mcp_relay {
    int input;
    int output;
    /* A connected descriptor or a negative errno. */
    int (*connect)(void);
    /* Clean, at most CALLER_NAME_MAX bytes. */
    const char *process_name;
    /* How long to go on trying when nobody is there. */
    unsigned connect_seconds;
};

/* Until the input ends and the host has answered everything. The exit status. */
int mcp_relay_run(const struct mcp_relay *relay);

/* The program. */
int mcp_server_main(int argc, char **argv);

#endif
