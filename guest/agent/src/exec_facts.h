/* What a process that waits in execve is about to run, read from /proc. */
#ifndef CAPSEM_EXEC_FACTS_H
#define CAPSEM_EXEC_FACTS_H

#include "protocol.h"

#include <linux/seccomp.h>
#include <sys/types.h>

/*
 * Answers false when nothing will start, because there is no such program: a shell tries each directory of PATH.
 * Where the process hides its memory, the arguments are marked unreadable.
 */
bool exec_facts_read(struct exec_facts *facts, pid_t pid, const struct seccomp_data *call);

#endif
