/* The sandbox's network: a loopback with 10.0.2.15, a route that leads nowhere, and rules that lead all of it to us. */
#ifndef CAPSEM_NET_SETUP_H
#define CAPSEM_NET_SETUP_H

enum {
    REDIRECT_TCP_PORT = 15001,
    REDIRECT_DNS_PORT = 15353,
};

/* Requires: CAP_NET_ADMIN in a network namespace of our own. Ends the sandbox when any part fails. */
void net_setup(void);

/* The same for a program that has no host to tell of what is refused: TCP is led to us, all else is rejected. */
void net_setup_redirect(void);

#endif
