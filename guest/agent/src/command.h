/* From an Exec frame to what spawn needs: argument vector, environment, where the program may lie. */
#ifndef CAPSEM_COMMAND_H
#define CAPSEM_COMMAND_H

#include "environment.h"
#include "spawn.h"

struct command {
    struct spawn spawn;
    struct environment environment;
    struct arena arena;
};

/* Answers 0, or an errno with a message for the host. Release it in either case. */
int command_prepare(struct command *command, const struct host_frame *frame, const struct environment *base,
                    const struct limits *limits, const char **message);

/* Says why spawn_run failed. */
void command_describe_failure(const struct command *command, char *message, size_t size);
void command_release(struct command *command);

#endif
