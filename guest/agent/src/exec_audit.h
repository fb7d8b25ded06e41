/*
 * Tells the host of every program that starts inside. The kernel holds each execve until a thread of the agent has read
 * what is about to run; the thread always lets it run. Attribution only: the guest can change its arguments after they
 * were read, so nothing may be permitted because of them.
 */
#ifndef CAPSEM_EXEC_AUDIT_H
#define CAPSEM_EXEC_AUDIT_H

#include "channel.h"

/*
 * Requires: privileges are dropped, no command runs yet, this is the thread that will start them. Where the kernel
 * refuses, the sandbox goes on without; the host is told, and the console says so.
 */
void exec_audit_start(void);

/* Why there is no audit although it was asked for; NULL when there is one, or nobody asked. */
const char *exec_audit_problem(void);

/* Becomes readable when there is something to send; -1 when there is no audit. */
int exec_audit_descriptor(void);

/* Moves what was seen to the channel, unless that is full: then it stays, and what does not fit is counted. */
void exec_audit_send(struct channel *control);

#endif
