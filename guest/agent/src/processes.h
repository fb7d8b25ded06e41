/* What the process table says about who belongs to an exec. */
#ifndef CAPSEM_PROCESSES_H
#define CAPSEM_PROCESSES_H

#include <sys/types.h>

/*
 * Kills everything that belongs to the session led by `leader`: its session, its process group, and what descends
 * from either. A daemon that left the session and lost its parent before this call is not found; Shutdown ends it.
 */
void processes_kill_tree(pid_t leader);

#endif
