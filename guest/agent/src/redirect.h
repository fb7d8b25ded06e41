/*
 * Guest traffic on its way to the host: TCP to port 5002, DNS to port 5007, each with its META, EXE, SCRIPT and DST lines.
 * Runs in a thread of its own, so that a storm of connections does not hold up commands.
 */
#ifndef CAPSEM_REDIRECT_H
#define CAPSEM_REDIRECT_H

#include "caller.h"
#include "loop.h"

/* Binds the listeners. To be done before any guest code could take the ports. Ends the sandbox when it fails. */
void redirect_listen(void);

/* Requires: redirect_listen, and privileges already dropped, so that the thread never has any. */
void redirect_start(void);

/* Four lines: a name, two paths and an address, with what stands before and behind them. */
enum { PREFACE_MAX = 160 + CALLER_NAME_MAX + 2 * CALLER_PATH_MAX };

/*
 * Writes the META, EXE, SCRIPT and DST lines; answers the length, at most PREFACE_MAX. EXE and SCRIPT only where they
 * are known, DST always: were it left out, the guest's own first bytes could pass for it.
 */
size_t redirect_preface(char *out, const struct caller *caller, const struct sockaddr_in *destination, bool datagram);

#endif
