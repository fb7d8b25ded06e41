/* What MCP clients inside a sandbox find ready: the relay on their PATH, and a configuration that names it. */
#ifndef CAPSEM_MCP_OFFER_H
#define CAPSEM_MCP_OFFER_H

/* On everybody's PATH; whatever the guest has put there stays. */
void mcp_offer_relay(void);

/*
 * Configurations in the home for the clients of the list: claude, gemini, codex. A file that is there already is the
 * user's, and stays as it is.
 */
void mcp_offer_configuration(const char *clients);

#endif
