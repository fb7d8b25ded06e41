/* capsem-tool-proxy: the way out of a sandbox without a network, as a proxy that ordinary programs understand. */
#ifndef CAPSEM_TOOL_PROXY_H
#define CAPSEM_TOOL_PROXY_H

int tool_proxy_main(int argc, char **argv);

#endif
