/* Which guest process owns the other end of a redirected connection. A guest's claim, for diagnosis and rules' comfort. */
#ifndef CAPSEM_CALLER_H
#define CAPSEM_CALLER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/types.h>

enum {
    CALLER_NAME_MAX = 128,
    /* Longer paths are left out: half of one would be another. */
    CALLER_PATH_MAX = 512,
};

struct caller {
    char name[CALLER_NAME_MAX + 1];
    /* Of its executable; empty when it is not known or cannot be written into one line. */
    char path[CALLER_PATH_MAX + 1];
    /* The file that it runs if it is an interpreter; empty under the same conditions. */
    char script[CALLER_PATH_MAX + 1];
    /* The remote address its socket is connected to; port 0 when it is not connected (UDP) or was not found. */
    struct sockaddr_in remote;
};

enum caller_protocol { CALLER_TCP, CALLER_UDP };

/* Looks for the socket bound to `local`. The name is "unknown" when nobody is found within the bounds. */
void caller_find(enum caller_protocol protocol, const struct sockaddr_in *local, struct caller *caller);

/* Copies a process name as the META line wants it: control characters, spaces and invalid UTF-8 become '_'. */
void caller_clean_name(char *clean, const char *name, size_t length);

#endif
