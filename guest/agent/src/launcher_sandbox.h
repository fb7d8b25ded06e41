// What `capsem-launch sandbox` was asked for and holds open, shared by the two halves of its work.
#ifndef CAPSEM_LAUNCHER_SANDBOX_H
#define CAPSEM_LAUNCHER_SANDBOX_H

#include "launcher.h"

// Everything is put together below this directory of the private mount namespace. bwrap itself needs /tmp, so it
// exists; whatever the host has in it was opened before it is covered.
#define STAGE "/tmp"
#define CGROUPS_MAX 8
#define DEFECT "this is a defect; please report it"

struct request {
    const char *session, *runtime, *base, *agent, *bwrap, *hostname, *tmp_size;
    const char *project, *project_name, *git_objects;
    bool project_writable;
    const char *cgroups[CGROUPS_MAX];
    size_t cgroup_count;
    const char *rlimit_data, *rlimit_nproc, *rlimit_nofile;
    pid_t parent;
};

struct handles {
    int session, vsock, base, agent, bwrap, project, git_objects, usr, usr_local, opt;
};

// launcher_bwrap.c: hands the finished root to bwrap, which becomes the agent.
_Noreturn void become_bwrap(const struct request *request, const struct handles *handles);

#endif
