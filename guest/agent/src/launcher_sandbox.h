// What `capsem-launch sandbox` was asked for and holds open, shared by the two halves of its work.
#ifndef CAPSEM_LAUNCHER_SANDBOX_H
#define CAPSEM_LAUNCHER_SANDBOX_H

#include "launcher.h"

// Everything is put together below this directory of the private mount namespace. bwrap itself needs /tmp, so it
// exists; whatever the host has in it was opened before it is covered.
#define STAGE "/tmp"
#define CGROUPS_MAX 8
// More than the service lets anybody ask for.
#define VIEW_MAX 64
#define DEFECT "this is a defect; please report it"

struct request {
    const char *session, *runtime, *base, *agent, *bwrap, *hostname, *tmp_size;
    const char *project, *project_name, *git_objects;
    bool project_writable;
    const char *mounts[VIEW_MAX], *mounts_at[VIEW_MAX], *hidden[VIEW_MAX];
    size_t mount_count, mount_at_count, hidden_count;
    const char *cgroups[CGROUPS_MAX];
    size_t cgroup_count;
    const char *rlimit_data, *rlimit_nproc, *rlimit_nofile;
    pid_t parent;
};

struct handles {
    int session, vsock, base, agent, bwrap, project, git_objects, usr, usr_local, opt;
    int mounts[VIEW_MAX];
};

// Room for all flags of a sandbox or a compiled policy; `push` refuses to overflow it.
#define ARGUMENTS_MAX 1024

// What bwrap is called with.
struct arguments {
    const char *list[ARGUMENTS_MAX + 1];
    size_t count;
};

#define PUSH(arguments, ...)                                                                                               \
    do {                                                                                                                   \
        const char *const items[] = {__VA_ARGS__};                                                                         \
        push(arguments, items, sizeof items / sizeof items[0]);                                                            \
    } while (0)

// launcher_masks.c
void push(struct arguments *arguments, const char *const *items, size_t count);
// Requires: an empty directory `empty` in the staging area.
void push_proc_masks(struct arguments *arguments);

// launcher_view.c: paths of the host that are shown, and those of the project that are not.
void open_view(const struct request *request, struct handles *handles);
// `mapped` when the guest has ids of its own.
void stage_view(const struct request *request, const struct handles *handles, bool mapped);
void mount_view(const struct request *request, const struct handles *handles, int root, bool mapped);
void hide_files(const struct request *request, int root);
void push_view(struct arguments *arguments, const struct request *request);
bool is_below_tmp(const char *path);

// launcher_bwrap.c: hands the finished root to bwrap, which becomes the agent.
_Noreturn void become_bwrap(const struct request *request, const struct handles *handles);

#endif
