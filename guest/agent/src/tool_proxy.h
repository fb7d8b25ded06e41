/* capsem-tool-proxy: the way out of a sandbox without a network, as a proxy that ordinary programs understand. */
#ifndef CAPSEM_TOOL_PROXY_H
#define CAPSEM_TOOL_PROXY_H

/* In its environment when its command may build sandboxes of its own; the command does not get it. */
#define TOOL_MAKES_NAMESPACES "CAPSEM_TOOL_MAKES_NAMESPACES"

int tool_proxy_main(int argc, char **argv);

#endif
