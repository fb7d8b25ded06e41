// capsem-launch: dispatch and the few things every sub-command needs.
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void complain(const char *remedy, int error, const char *format, va_list arguments) {
    char what[512];
    vsnprintf(what, sizeof what, format, arguments);
    if (error != 0)
        dprintf(STDERR_FILENO, "capsem-launch: %s: %s; %s\n", what, strerror(error), remedy);
    else
        dprintf(STDERR_FILENO, "capsem-launch: %s; %s\n", what, remedy);
}

_Noreturn void fail(enum launch_exit code, const char *remedy, const char *format, ...) {
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    complain(remedy, error, format, arguments);
    va_end(arguments);
    exit(code);
}

_Noreturn void refuse(enum launch_exit code, const char *remedy, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    complain(remedy, 0, format, arguments);
    va_end(arguments);
    exit(code);
}

void die_with_parent(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, 9) < 0)
        fail(EXIT_STEP, "this is a defect; please report it", "ask to die with the parent");
    if (parent != 0 && getppid() != parent)
        refuse(EXIT_STEP, "start it again", "the parent is gone");
}

void leave_keyring(void) {
    // Nobody inside may use keys in any case, by the seccomp filter: a host without keys, or whose user has no room for
    // another keyring, is as good.
    (void)!syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
}

void write_file(const char *path, const char *text, enum launch_exit code, const char *remedy) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    size_t length = strlen(text);
    if (file < 0 || write(file, text, length) != (ssize_t)length)
        fail(code, remedy, "write %s", path);
    close(file);
}

int launch_as_root(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[0], "--") != 0)
        refuse(EXIT_USAGE, "use: capsem-launch as-root -- PROGRAM ARGUMENT...", "as-root: no program");
    if (!runs_as_root())
        become_root_of_own_namespace(0);
    execvp(argv[1], argv + 1);
    fail(EXIT_MISSING, "install it", "run %s", argv[1]);
}

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"sandbox", launch_sandbox},         {"template", launch_template}, {"as-root", launch_as_root},
    {"signal-tree", launch_signal_tree}, {"probe", launch_probe},       {"tool", launch_tool},
};

int main(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        puts("capsem-launch " CAPSEM_VERSION);
        return 0;
    }
    for (size_t i = 0; argc >= 2 && i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 2, argv + 2);
    refuse(EXIT_USAGE, "one of: sandbox, tool, template, as-root, signal-tree, probe", "unknown command");
}
