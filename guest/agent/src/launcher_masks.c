// What of /proc nobody sees, neither in a sandbox nor behind MCP.
#include "launcher_sandbox.h"

#include <string.h>
#include <unistd.h>

static const char *const MASKED_DIRECTORIES[] = {
    "/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq", "/proc/scsi",
};
// Each costs a mount, so only what a process without capabilities could read or write.
static const char *const MASKED_FILES[] = {
    "/proc/cmdline", "/proc/kcore",       "/proc/key-users",     "/proc/keys",       "/proc/kmsg",
    "/proc/swaps",   "/proc/sched_debug", "/proc/sysrq-trigger", "/proc/timer_list", "/proc/timer_stats",
};

void push(struct arguments *arguments, const char *const *items, size_t count) {
    if (arguments->count + count > ARGUMENTS_MAX)
        refuse(EXIT_STEP, DEFECT, "too many arguments for bwrap");
    memcpy(arguments->list + arguments->count, items, count * sizeof items[0]);
    arguments->count += count;
}

void push_proc_masks(struct arguments *arguments) {
    PUSH(arguments, "--ro-bind", "/proc/sys", "/proc/sys");
    for (size_t i = 0; i < sizeof MASKED_DIRECTORIES / sizeof MASKED_DIRECTORIES[0]; i++)
        if (access(MASKED_DIRECTORIES[i], F_OK) == 0)
            PUSH(arguments, "--ro-bind", STAGE "/empty", MASKED_DIRECTORIES[i]);
    for (size_t i = 0; i < sizeof MASKED_FILES / sizeof MASKED_FILES[0]; i++)
        if (access(MASKED_FILES[i], F_OK) == 0)
            PUSH(arguments, "--ro-bind", "/dev/null", MASKED_FILES[i]);
}
