/* The pipes or the terminal between the agent and one command. */
#ifndef CAPSEM_PLUMBING_H
#define CAPSEM_PLUMBING_H

#include "protocol.h"

/* The guest's ends and ours; -1 where there is none. Only our ends are non-blocking. */
struct plumbing {
    int guest[3];
    int input;
    int output[2];
};

/* Requires: an Exec frame. Answers 0 or an errno; after an errno nothing is left open. */
int plumbing_lay(struct plumbing *plumbing, const struct host_frame *frame);
void plumbing_close_guest(const struct plumbing *plumbing);
void plumbing_close(const struct plumbing *plumbing);

#endif
