/* The system calls guest code (and from then on the agent) cannot make. */
#ifndef CAPSEM_SECCOMP_H
#define CAPSEM_SECCOMP_H

/* Requires: no_new_privs. Ends the sandbox when the kernel refuses the filter. */
void seccomp_install(void);

#endif
