// capsem-launch: builds the world of a sandbox and hands it to bwrap. Shared by src/launcher*.c. It runs on the host
// with the rights of whoever called it, before any guest code exists; but the directories it mounts may have been
// filled by a guest earlier, so nothing below them is ever opened by following links.
#ifndef CAPSEM_LAUNCHER_H
#define CAPSEM_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

// Exit codes: the host lacks something or a step failed. bwrap's own failure is 1, the agent's codes are below 64.
enum launch_exit {
    EXIT_STEP = 70,      // a step failed that has no code of its own
    EXIT_NAMESPACE = 71, // namespaces or id maps
    EXIT_MISSING = 72,   // a file or directory named on the command line
    EXIT_MOUNT = 73,     // mounts, overlay
    EXIT_CGROUP = 74,
    EXIT_USAGE = 78,
};

// Whose the files of guests are on the host's disk when the host's root starts sandboxes. Never 0: the kernel lets uid 0
// write sysctls without any capability, so a guest root mapped to 0 could take over the host.
#define STORED_ID_BASE 500000u
#define GUEST_ID_COUNT 65536u
// Ranges are numbered from STORED_ID_BASE on; some programs take ids for signed numbers.
#define ID_RANGE_MAX 31999ul

// Prints `capsem-launch: <what>: <errno text>; <remedy>` and exits. `fail` reads errno, `refuse` has none to read.
_Noreturn void fail(enum launch_exit code, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void refuse(enum launch_exit code, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What is started here must not outlive whoever started it, not even before bwrap asks the kernel for that.
void die_with_parent(pid_t parent);
// What is started here has no key of the caller's.
void leave_keyring(void);
void write_file(const char *path, const char *text, enum launch_exit code, const char *remedy);

// launcher_userns.c
bool runs_as_root(void);
// Which range of ids a guest of the host's root runs under: what the kernel counts for a user, it counts for that
// guest alone. Range 0 is where the files are; others see them through id-mapped mounts.
void use_id_range(const char *number);
unsigned guest_id_base(void);
// A namespace that maps `inside` ids (on disk or in the guest) to host ids, held open by the returned descriptor.
int new_user_namespace(const char *uid_map, const char *gid_map);
int guest_user_namespace(void);
// Maps what guests left on disk to the ids of this one; -1 where they are the same.
int stored_user_namespace(void);
// Maps the owner of a directory to guest root, and every other id of the low 65536 to some other guest id.
int owner_user_namespace(uid_t owner, gid_t group);
// Ordinary user: this process becomes root of a new user namespace that holds nothing but its own id.
void become_root_of_own_namespace(int other_namespaces);
void become_guest_root(int user_namespace);

// launcher_mounts.c
// `what` is for the complaint.
int clone_tree(int directory, const char *what);
void map_ids(int tree, int user_namespace, const char *what);
void attach(int tree, int at, const char *path);
void make_mounts_private(void);
// Lower, upper and work directory are relative to the current directory: the guest reads these options in
// /proc/mounts.
void mount_overlay(int target, const char *name, const char *lower, const char *upper, const char *work);
// Without an upper directory: nobody writes.
void mount_read_only_overlay(int target, const char *name, const char *lower);
void make_read_only(int tree, const char *what);
void mount_stage(const char *path);
int open_beneath(int directory, const char *path, int flags);

// launcher_etc.c: whether a file or directory of /etc is copied into the template; `path` is relative to /etc, `name` to
// the directory `from`.
bool is_for_guests(int from, const char *name, const char *path, const struct stat *status);

// The programs behind the sub-commands.
int launch_sandbox(int argc, char **argv);
int launch_tool(int argc, char **argv);
int launch_template(int argc, char **argv);
int launch_as_root(int argc, char **argv);
int launch_signal_tree(int argc, char **argv);
int launch_probe(int argc, char **argv);

#endif
