// capsem-launch sandbox: joins cgroups, builds the overlay root in a private mount namespace, maps ids, and becomes
// bwrap.
#include "launcher_parts.h"
#include "launcher_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// One overlay: its name below up/ and wk/, where it is mounted, and what shows through.
struct layer {
    const char *name, *target, *lower;
};
static const struct layer LAYERS[] = {
    {"rootfs", "", "base/rootfs"},
    {"usr", "usr", "base/usr:host/usr"},
    {"usr-local", "usr/local", "base/usr-local:host/usr-local"},
    {"opt", "opt", "base/opt:host/opt"},
    {"etc", "etc", "base/etc"},
    {"var", "var", "base/var"},
};
#define LAYER_COUNT (sizeof LAYERS / sizeof LAYERS[0])

// Directories that bwrap or we mount on: whatever an earlier run left there, each must be a real directory.
static const char *const MOUNT_POINTS[] = {"usr", "opt", "etc", "var", "root", "tmp", "run", "proc", "sys", "dev"};

static void add_path(const char **list, size_t *count) {
    if (*count == VIEW_MAX)
        refuse(EXIT_USAGE, "name fewer", "too many paths are to be shown or hidden");
    list[(*count)++] = optarg;
}

static void parse(struct request *request, int argc, char **argv) {
    enum {
        SESSION = 1, RUNTIME, BASE, AGENT, BWRAP, HOSTNAME, TMP_SIZE, PROJECT, PROJECT_NAME, PROJECT_RW, GIT_OBJECTS,
        CGROUP, RLIMIT_DATA_, RLIMIT_NPROC_, RLIMIT_NOFILE_, PARENT, ID_RANGE, MOUNT, MOUNT_AT, HIDE,
    };
    static const struct option options[] = {
        {"session", required_argument, NULL, SESSION},
        {"runtime", required_argument, NULL, RUNTIME},
        {"template", required_argument, NULL, BASE},
        {"agent", required_argument, NULL, AGENT},
        {"bwrap", required_argument, NULL, BWRAP},
        {"hostname", required_argument, NULL, HOSTNAME},
        {"tmp-size", required_argument, NULL, TMP_SIZE},
        {"project-lower", required_argument, NULL, PROJECT},
        {"project-name", required_argument, NULL, PROJECT_NAME},
        {"project-rw", no_argument, NULL, PROJECT_RW},
        {"git-objects", required_argument, NULL, GIT_OBJECTS},
        {"mount", required_argument, NULL, MOUNT},
        {"mount-at", required_argument, NULL, MOUNT_AT},
        {"hide", required_argument, NULL, HIDE},
        {"cgroup", required_argument, NULL, CGROUP},
        {"rlimit-data", required_argument, NULL, RLIMIT_DATA_},
        {"rlimit-nproc", required_argument, NULL, RLIMIT_NPROC_},
        {"rlimit-nofile", required_argument, NULL, RLIMIT_NOFILE_},
        {"parent", required_argument, NULL, PARENT},
        {"id-range", required_argument, NULL, ID_RANGE},
        {0},
    };
    // getopt skips the program's name.
    for (int option; (option = getopt_long(argc + 1, argv - 1, "", options, NULL)) != -1;) {
        switch (option) {
        case SESSION: request->session = optarg; break;
        case RUNTIME: request->runtime = optarg; break;
        case BASE: request->base = optarg; break;
        case AGENT: request->agent = optarg; break;
        case BWRAP: request->bwrap = optarg; break;
        case HOSTNAME: request->hostname = optarg; break;
        case TMP_SIZE: request->tmp_size = optarg; break;
        case PROJECT: request->project = optarg; break;
        case PROJECT_NAME: request->project_name = optarg; break;
        case PROJECT_RW: request->project_writable = true; break;
        case GIT_OBJECTS: request->git_objects = optarg; break;
        case MOUNT: add_path(request->mounts, &request->mount_count); break;
        case MOUNT_AT: add_path(request->mounts_at, &request->mount_at_count); break;
        case HIDE: add_path(request->hidden, &request->hidden_count); break;
        case CGROUP:
            if (request->cgroup_count == CGROUPS_MAX)
                refuse(EXIT_USAGE, "name at most 8", "too many cgroups");
            request->cgroups[request->cgroup_count++] = optarg;
            break;
        case RLIMIT_DATA_: request->rlimit_data = optarg; break;
        case RLIMIT_NPROC_: request->rlimit_nproc = optarg; break;
        case RLIMIT_NOFILE_: request->rlimit_nofile = optarg; break;
        case PARENT: request->parent = (pid_t)strtol(optarg, NULL, 10); break;
        case ID_RANGE: use_id_range(optarg); break;
        default: refuse(EXIT_USAGE, DEFECT, "sandbox: unknown option");
        }
    }
    if (optind != argc + 1 || !request->session || !request->runtime || !request->base || !request->agent || !request->bwrap ||
        !request->hostname || !request->tmp_size || !request->project != !request->project_name)
        refuse(EXIT_USAGE, "give --session --runtime --template --agent --bwrap --hostname --tmp-size, and a project with its name",
               "sandbox: options missing");
    if (request->project_name && (strchr(request->project_name, '/') || request->project_name[0] == '\0' ||
                                  strcmp(request->project_name, ".") == 0 || strcmp(request->project_name, "..") == 0))
        refuse(EXIT_USAGE, "give one plain name", "sandbox: the project's name is not a file name");
    if (request->mount_count != request->mount_at_count || (request->hidden_count > 0 && !request->project))
        refuse(EXIT_USAGE, "give each --mount its --mount-at, and --hide only with a project", "sandbox: options missing");
}

static int open_path(const char *path, int flags, const char *remedy) {
    int descriptor = open(path, flags | O_CLOEXEC);
    if (descriptor < 0)
        fail(EXIT_MISSING, remedy, "open %s", path);
    return descriptor;
}

static int open_if_directory(const char *path) {
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static struct handles open_all(const struct request *request) {
    struct handles handles;
    handles.session = open_path(request->session, O_PATH | O_DIRECTORY, "create the session's directory first");
    int runtime = open_path(request->runtime, O_PATH | O_DIRECTORY, "create the runtime directory first");
    handles.vsock = openat(runtime, "vsock", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (handles.vsock < 0)
        fail(EXIT_MISSING, "bind the port sockets first", "open vsock in the runtime directory");
    close(runtime);
    handles.base = open_path(request->base, O_PATH | O_DIRECTORY, "run capsem-launch template first");
    handles.agent = open_path(request->agent, O_RDONLY, "build the guest agent");
    handles.bwrap = open_path(request->bwrap, O_PATH, "install bubblewrap 0.8 or later");
    handles.project =
        request->project ? open_path(request->project, O_PATH | O_DIRECTORY, "name an existing directory") : -1;
    handles.git_objects =
        request->git_objects ? open_path(request->git_objects, O_PATH | O_DIRECTORY, "name an existing directory") : -1;
    open_view(request, &handles);
    handles.usr = open_path("/usr", O_PATH | O_DIRECTORY, "a host without /usr is not supported");
    handles.usr_local = open_if_directory("/usr/local");
    handles.opt = open_if_directory("/opt");
    return handles;
}

static void make_directory(int parent, const char *name, bool of_guest) {
    if (mkdirat(parent, name, 0755) < 0 && errno != EEXIST)
        fail(EXIT_STEP, "check the session's directory: disk space and permissions", "create %s", name);
    if (!of_guest)
        return;
    int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0 || fchown(directory, STORED_ID_BASE, STORED_ID_BASE) < 0)
        fail(EXIT_STEP, "check the session's directory", "give %s to the guest", name);
    close(directory);
}

// The guest writes inside these directories, never beside them: their own names can be trusted on the next start.
static void make_session_directories(int session, const struct request *request, bool mapped) {
    const char *project_name = request->project_name;
    static const char *const tops[] = {"up", "wk"};
    make_directory(session, "workspace", mapped);
    if (project_name != NULL) {
        // The mount point. Whatever else stands there under this name is found, and refused, when it is opened.
        int workspace = openat(session, "workspace", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (workspace < 0)
            fail(EXIT_STEP, "check the session's directory", "open workspace");
        if (faccessat(workspace, project_name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
            make_directory(workspace, project_name, mapped);
        close(workspace);
    }
    for (size_t t = 0; t < 2; t++) {
        bool upper = t == 0;
        make_directory(session, tops[t], false);
        int top = openat(session, tops[t], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (top < 0)
            fail(EXIT_STEP, "check the session's directory", "open %s", tops[t]);
        for (size_t i = 0; i < LAYER_COUNT; i++)
            make_directory(top, LAYERS[i].name, upper && mapped);
        make_directory(top, "project", upper && mapped);
        if (request->git_objects != NULL)
            make_directory(top, "git-objects", upper && mapped);
        if (!upper)
            make_directory(top, "workspace", false);
        close(top);
    }
}

// As root the sockets belong to host root; the guest's root must be able to connect, and has no capability to help
// it.
static void give_sockets_to_guest(int vsock) {
    unsigned guest = guest_id_base();
    if (fchown(vsock, guest, guest) < 0)
        fail(EXIT_STEP, "put the runtime directory on a local file system", "give the socket directory to the guest");
    // Port numbers are names of at most five digits; the directory is ours and holds nothing else.
    static const char *const ports[] = {"5000", "5001", "5002", "5005", "5007"};
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++)
        if (fchownat(vsock, ports[i], guest, guest, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOENT)
            fail(EXIT_STEP, "put the runtime directory on a local file system", "give port %s to the guest", ports[i]);
}

static void stage_directory(const char *name) {
    if (mkdir(name, 0755) < 0)
        fail(EXIT_MOUNT, DEFECT, "create %s in the staging area", name);
}

// Puts a directory of the host into the staging area; a missing one (-1) leaves an empty directory.
static void stage_tree(int directory, const char *name, int user_namespace) {
    stage_directory(name);
    if (directory < 0)
        return;
    int tree = clone_tree(directory, name);
    if (user_namespace >= 0)
        map_ids(tree, user_namespace, name);
    attach(tree, AT_FDCWD, name);
}

// A directory of the host that shows through a layer. Only root may look under what is mounted below it.
static void stage_host(int directory, const char *staged, const struct divided *divided, bool ordinary_user) {
    if (directory >= 0 && ordinary_user && has_mounts_below(divided->path)) {
        stage_directory(staged);
        divide(divided);
    } else {
        stage_tree(directory, staged, -1);
    }
}

// The project belongs to somebody; the guest's root stands for that somebody.
static int project_namespace(int project) {
    struct stat status;
    if (fstat(project, &status) < 0)
        fail(EXIT_MISSING, "name an existing directory", "read the owner of the project");
    return owner_user_namespace(status.st_uid, status.st_gid);
}

static void mount_layers(int *root) {
    char lower[128], upper[64], work[64];
    for (size_t i = 0; i < LAYER_COUNT; i++) {
        const struct layer *layer = &LAYERS[i];
        int target = layer->target[0] == '\0' ? open("root", O_PATH | O_DIRECTORY | O_CLOEXEC)
                                              : open_beneath(*root, layer->target, O_PATH | O_DIRECTORY);
        if (target < 0)
            fail(EXIT_MOUNT, "delete this session and create it again", "open the mount point of %s", layer->name);
        snprintf(upper, sizeof upper, "session/up/%s", layer->name);
        snprintf(work, sizeof work, "session/wk/%s", layer->name);
        if (is_divided(layer->name)) {
            snprintf(lower, sizeof lower, "base/%s:skeleton/%s", layer->name, layer->name);
            mount_overlay(target, layer->name, lower, upper, work);
            mount_parts(layer->name, layer->target, *root);
        } else {
            mount_overlay(target, layer->name, layer->lower, upper, work);
        }
        close(target);
        if (layer->target[0] == '\0') {
            *root = open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
            for (size_t p = 0; p < sizeof MOUNT_POINTS / sizeof MOUNT_POINTS[0]; p++) {
                int point = open_beneath(*root, MOUNT_POINTS[p], O_PATH | O_DIRECTORY);
                if (point < 0)
                    fail(EXIT_MOUNT, "delete this session and create it again", "/%s is not a directory", MOUNT_POINTS[p]);
                close(point);
            }
        }
    }
    // The workspace is an overlay over nothing: a bind mount would show its host path in /proc/self/mountinfo.
    int home = open_beneath(*root, "root", O_PATH | O_DIRECTORY);
    if (home < 0)
        fail(EXIT_MOUNT, DEFECT, "open /root");
    mount_overlay(home, "workspace", "empty", "session/workspace", "session/wk/workspace");
    close(home);
}

static void mount_project(const struct request *request, int root) {
    int home = open_beneath(root, "root", O_PATH | O_DIRECTORY);
    int target = home < 0 ? -1 : open_beneath(home, request->project_name, O_PATH | O_DIRECTORY);
    if (target < 0)
        fail(EXIT_MOUNT, "the workspace must hold a plain directory of that name", "open the mount point of the project");
    if (request->project_writable)
        attach(clone_tree(open("project", O_PATH | O_DIRECTORY | O_CLOEXEC), "the project"), target, "");
    else
        mount_overlay(target, "the project", "project", "session/up/project", "session/wk/project");
    close(target);
    close(home);
}

// The objects of a worktree's or submodule's repository, below the git directory that the service put into the
// project's layer. An overlay like the project's: nothing that is written there reaches the host. A guest that took
// the mount point away goes without.
static void mount_git_objects(const struct request *request, int root) {
    int home = open_beneath(root, "root", O_PATH | O_DIRECTORY);
    int project = home < 0 ? -1 : open_beneath(home, request->project_name, O_PATH | O_DIRECTORY);
    int target = project < 0 ? -1 : open_beneath(project, ".git/capsem-objects", O_PATH | O_DIRECTORY);
    if (target >= 0)
        mount_overlay(target, "the repository", "git-objects", "session/up/git-objects", "session/wk/git-objects");
    close(target);
    close(project);
    close(home);
}

static void build_root(const struct request *request, const struct handles *handles, int guest) {
    mount_stage(STAGE);
    if (chdir(STAGE) < 0)
        fail(EXIT_MOUNT, DEFECT, "enter the staging area");
    static const char *const plain[] = {"root", "empty", "closed", "host"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        stage_directory(plain[i]);
    if (chmod("closed", 0) < 0)
        fail(EXIT_MOUNT, DEFECT, "close a directory of the staging area");
    stage_tree(handles->session, "session", guest >= 0 ? stored_user_namespace() : -1);
    stage_tree(handles->vsock, "vsock", -1);
    stage_tree(handles->base, "base", guest);
    // Not mapped: files of the host's root that are not for everybody stay closed to the guest, whenever they were put
    // there.
    stage_host(handles->usr, "host/usr", &(struct divided){"usr", "/usr", "local"}, guest < 0);
    stage_host(handles->usr_local, "host/usr-local", &(struct divided){"usr-local", "/usr/local", NULL}, guest < 0);
    stage_host(handles->opt, "host/opt", &(struct divided){"opt", "/opt", NULL}, guest < 0);
    if (handles->project >= 0)
        stage_tree(handles->project, "project", guest >= 0 ? project_namespace(handles->project) : -1);
    if (handles->git_objects >= 0)
        stage_tree(handles->git_objects, "git-objects", guest >= 0 ? project_namespace(handles->git_objects) : -1);
    stage_view(request, handles, guest >= 0);

    int root = -1;
    mount_layers(&root);
    if (handles->project >= 0)
        mount_project(request, root);
    if (handles->project >= 0 && handles->git_objects >= 0)
        mount_git_objects(request, root);
    mount_view(request, handles, root, guest >= 0);
    hide_files(request, root);
    close(root);
}

// /etc belongs to the guest, who may have put a link, a FIFO or nothing there: then it keeps what it made.
static void write_identity(const char *hostname) {
    int root = open("root", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char text[16384], line[160];
    struct stat status;
    int file = open_beneath(root, "etc/hosts", O_RDWR | O_APPEND | O_NONBLOCK);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        ssize_t length = read(file, text, sizeof text - 1);
        text[length < 0 ? 0 : length] = '\0';
        int line_length = snprintf(line, sizeof line, "127.0.0.1\t%s\n", hostname);
        if (strstr(text, line) == NULL)
            (void)!write(file, line, (size_t)line_length);
    }
    if (file >= 0)
        close(file);
    file = open_beneath(root, "etc/hostname", O_WRONLY | O_NONBLOCK);
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ftruncate(file, 0) == 0)
        dprintf(file, "%s\n", hostname);
    if (file >= 0)
        close(file);
    close(root);
}

int launch_sandbox(int argc, char **argv) {
    struct request request = {0};
    parse(&request, argc, argv);
    umask(022);
    if (syscall(SYS_close_range, 3u, ~0u, 0u) < 0)
        fail(EXIT_STEP, "use Linux 5.9 or later", "close inherited descriptors");
    die_with_parent(request.parent);
    leave_keyring();
    // 1, not 0: the kernel then also refuses to feed a crash to a core_pattern program of the host.
    const struct rlimit no_core = {1, 1};
    setrlimit(RLIMIT_CORE, &no_core);
    char self[16];
    snprintf(self, sizeof self, "%d", getpid());
    for (size_t i = 0; i < request.cgroup_count; i++)
        write_file(request.cgroups[i], self, EXIT_CGROUP, "check that this user may write there");

    int guest = -1;
    if (runs_as_root()) {
        guest = guest_user_namespace();
        if (unshare(CLONE_NEWNS) < 0)
            fail(EXIT_NAMESPACE, "the caller needs CAP_SYS_ADMIN", "create a mount namespace");
    } else {
        become_root_of_own_namespace(CLONE_NEWNS);
    }
    make_mounts_private();
    // Only now: a descriptor of the host's mount namespace cannot be mounted in this one.
    struct handles handles = open_all(&request);
    make_session_directories(handles.session, &request, guest >= 0);
    if (guest >= 0)
        give_sockets_to_guest(handles.vsock);
    build_root(&request, &handles, guest);
    if (guest >= 0)
        become_guest_root(guest);
    die_with_parent(request.parent); // Changing ids cleared it.
    write_identity(request.hostname);
    become_bwrap(&request, &handles);
}
