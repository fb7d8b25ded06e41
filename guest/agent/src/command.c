#include "command.h"

#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 65536 };

static char **build_argv(struct arena *arena, struct texts texts)
{
    char **argv = arena_take(arena, (texts.count + 1) * sizeof *argv);
    size_t count = 0;
    while (texts.count > 0) {
        struct text text = next_text(&texts);
        argv[count++] = arena_text(arena, text.bytes, text.length);
    }
    argv[count] = NULL;
    return argv;
}

/* Where a command without a slash may lie, by the exec's own PATH. */
static char **build_candidates(struct arena *arena, char *command, const char *path)
{
    if (strchr(command, '/') != NULL || *command == '\0' || path == NULL) {
        char **single = arena_take(arena, 2 * sizeof *single);
        single[0] = command;
        single[1] = NULL;
        return single;
    }
    size_t parts = 1;
    for (const char *at = path; *at != '\0'; at++)
        parts += *at == ':';
    char **candidates = arena_take(arena, (parts + 1) * sizeof *candidates);
    size_t count = 0;
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, ":");
        const char *directory = length == 0 ? "./" : arena_join(arena, at, length, "/", 1);
        candidates[count++] = arena_join(arena, directory, strlen(directory), command, strlen(command));
        at += length;
        if (*at == '\0')
            break;
    }
    candidates[count] = NULL;
    return candidates;
}

void command_describe_failure(const struct command *command, char *message, size_t size)
{
    const struct spawn *spawn = &command->spawn;
    const char *why = strerror(spawn->error);
    switch (spawn->failed_step) {
    case SPAWN_CWD:
        snprintf(message, size, "cannot enter the working directory '%.1024s': %s; create it or choose another",
                 *spawn->cwd == '\0' ? "/root" : spawn->cwd, why);
        break;
    case SPAWN_EXEC:
        snprintf(message, size, "cannot run '%.1024s': %s; check the command's name, PATH and permissions",
                 spawn->argv[0], why);
        break;
    case SPAWN_PREPARE:
        snprintf(message, size, "cannot start a process: %s; the sandbox may be at its process or memory limit", why);
        break;
    }
}

int command_prepare(struct command *command, const struct host_frame *frame, const struct environment *base,
                    const struct limits *limits, const char **message)
{
    struct arena *arena = &command->arena;
    struct environment *environment = &command->environment;
    command->arena = (struct arena){0};
    if (frame->exec.argv.count == 0 || frame->exec.argv.count > ARGUMENTS_MAX) {
        *message = "the argument list is empty or too long; give 1 to 65536 arguments";
        return frame->exec.argv.count == 0 ? EINVAL : E2BIG;
    }
    *environment = *base;
    int error = environment_merge(environment, arena, frame->exec.environment);
    if (error != 0) {
        *message = "the environment has an invalid name or more than 1024 entries; correct it";
        return error;
    }
    bool has_terminal = (frame->exec.flags & EXEC_PTY) != 0;
    if (has_terminal)
        environment_default(environment, arena, "TERM", "xterm-256color");
    char **argv = build_argv(arena, frame->exec.argv);
    struct text cwd = frame->exec.cwd;
    command->spawn = (struct spawn){
        .candidates = build_candidates(arena, argv[0], environment_value(environment, "PATH")),
        .argv = argv,
        .environment = environment->entries,
        .cwd = cwd.length == 0 ? "/root" : arena_text(arena, cwd.bytes, cwd.length),
        .has_terminal = has_terminal,
        .limits = limits,
        .internal = (frame->exec.flags & EXEC_INTERNAL) ? files_run : NULL,
    };
    return 0;
}

void command_release(struct command *command)
{
    arena_release(&command->arena);
}
