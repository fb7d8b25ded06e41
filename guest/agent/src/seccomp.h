/* The system calls guest code (and from then on the agent) cannot make, nor a program of the host behind MCP. */
#ifndef CAPSEM_SECCOMP_H
#define CAPSEM_SECCOMP_H

#include <stdbool.h>

/*
 * Requires: no_new_privs. Ends this process when the kernel refuses the filter. A program that builds sandboxes of its
 * own makes namespaces and mounts in them.
 */
void seccomp_install(bool makes_namespaces);

/* The same filter as a file, for bwrap to install. */
int seccomp_file(bool makes_namespaces);

#endif
