/* Pid 1 of the sandbox: the start sequence, then the loop that serves the host. */
#ifndef CAPSEM_INIT_H
#define CAPSEM_INIT_H

/* The whole life of capsem-agent; answers only for wrong arguments. */
int init_main(int argc, char **argv);

#endif
