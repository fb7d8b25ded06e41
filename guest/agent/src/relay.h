/* Redirected TCP connections, plain and DNS: both ways between a guest's socket and a connection to the host. */
#ifndef CAPSEM_RELAY_H
#define CAPSEM_RELAY_H

#include "loop.h"

void relay_init(struct loop *loop, int tcp_listener, int dns_listener);
void relay_after_batch(void);
int relay_next_timeout(void);

#endif
