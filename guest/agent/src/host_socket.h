/* A port of the host, carried as a Unix socket. */
#ifndef CAPSEM_HOST_SOCKET_H
#define CAPSEM_HOST_SOCKET_H

#include <stdint.h>

/* From here on the sockets are found where they are now, wherever the guest moves what they lie in. */
void host_hold(void);

/* A connected, non-blocking descriptor or a negative errno; -EAGAIN means the host's queue is full at the moment. */
int host_connect(uint16_t port);

#endif
