/* Gives up everything guest code must not inherit. After this the agent can do no more than the guest itself. */
#ifndef CAPSEM_PRIVILEGES_H
#define CAPSEM_PRIVILEGES_H

/* Descriptors the launcher or the host's JVM left open must be gone before anything else happens. */
void privileges_close_inherited(void);

/* Requires: CAP_SETPCAP. Ends the sandbox unless afterwards every capability set is empty and the filter is on. */
void privileges_drop(void);

/* Only the first half, for programs that keep their system calls. Requires and ends as above. */
void privileges_drop_capabilities(void);

#endif
