// The arguments of bwrap: namespaces, masks over /proc and /sys, bounded memory file systems, the agent.
#include "launcher_sandbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RUN_SIZE "67108864"

static void push_masks(struct arguments *arguments) {
    push_proc_masks(arguments);
    // The agent shares its uid with the guest, who could otherwise count its descriptors. What is in them, its memory
    // and its environment are closed already: the agent is not dumpable.
    PUSH(arguments, "--ro-bind", STAGE "/closed", "/proc/1/fd", "--ro-bind", STAGE "/closed", "/proc/1/fdinfo",
         "--ro-bind", STAGE "/closed", "/proc/1/task");
    PUSH(arguments, "--ro-bind", STAGE "/empty", "/sys");
}

_Noreturn void become_bwrap(const struct request *request, const struct handles *handles) {
    struct arguments arguments = {.count = 0};
    char agent[16];
    snprintf(agent, sizeof agent, "%d", handles->agent);
    PUSH(&arguments, "bwrap", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-ipc", "--unshare-cgroup-try",
         "--hostname", request->hostname, "--as-pid-1", "--new-session", "--die-with-parent");
    PUSH(&arguments, "--cap-drop", "ALL", "--cap-add", "CAP_NET_ADMIN", "--cap-add", "CAP_SETPCAP");
    PUSH(&arguments, "--bind", STAGE "/root", "/", "--proc", "/proc");
    push_masks(&arguments);
    // Nothing in memory without a bound: /dev itself becomes read-only, /dev/shm, /tmp and /run have sizes.
    PUSH(&arguments, "--dev", "/dev", "--perms", "1777", "--size", request->tmp_size, "--tmpfs", "/dev/shm", "--remount-ro",
         "/dev");
    PUSH(&arguments, "--perms", "1777", "--size", request->tmp_size, "--tmpfs", "/tmp");
    push_view(&arguments, request);
    PUSH(&arguments, "--perms", "0755", "--size", RUN_SIZE, "--tmpfs", "/run", "--perms", "1777", "--dir", "/run/lock");
    PUSH(&arguments, "--ro-bind", STAGE "/vsock", "/run/capsem/vsock");
    PUSH(&arguments, "--perms", "0555", "--ro-bind-data", agent, "/run/capsem/agent");
    // For the agent, who lets pings be sent so that the rules refuse and record them. A guest who writes it changes no more
    // than who may try.
    PUSH(&arguments, "--bind-try", "/proc/sys/net/ipv4/ping_group_range",
         "/run/capsem/ping_group_range");
    // Where MCP clients inside find the relay, whatever their PATH is.
    PUSH(&arguments, "--symlink", "agent", "/run/capsem/capsem-mcp-server");
    PUSH(&arguments, "--chdir", "/root", "--", "/run/capsem/agent", "--init", "--hostname", request->hostname);
    if (request->rlimit_data)
        PUSH(&arguments, "--rlimit-data", request->rlimit_data);
    if (request->rlimit_nproc)
        PUSH(&arguments, "--rlimit-nproc", request->rlimit_nproc);
    char open_files[32];
    if (request->rlimit_nofile) {
        // Nobody may raise it beyond the limit we live under ourselves.
        struct rlimit own;
        unsigned long long wanted = strtoull(request->rlimit_nofile, NULL, 10);
        if (getrlimit(RLIMIT_NOFILE, &own) == 0 && own.rlim_max < wanted)
            wanted = own.rlim_max;
        snprintf(open_files, sizeof open_files, "%llu", wanted);
        PUSH(&arguments, "--rlimit-nofile", open_files);
    }
    arguments.list[arguments.count] = NULL;

    char *const environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL};
    fcntl(handles->agent, F_SETFD, 0);
    syscall(SYS_execveat, handles->bwrap, "", arguments.list, environment, AT_EMPTY_PATH);
    fail(EXIT_MISSING, "install bubblewrap 0.8 or later", "run bwrap");
}
