#include "init.h"
#include "host_socket.h"
#include "mcp_offer.h"

#include "arena.h"
#include "console.h"
#include "exec_audit.h"
#include "net_setup.h"
#include "privileges.h"
#include "redirect.h"
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char USAGE[] =
    "usage: capsem-agent --init [--rlimit-data BYTES] [--rlimit-nproc N] [--rlimit-nofile N] [--hostname NAME]\n"
    "       capsem-agent --version\n"
    "Runs as pid 1 of a sandbox, started by capsem-launch; not meant to be called by hand.\n";

struct options {
    bool init;
    bool version;
    struct limits limits;
    const char *hostname;
};

static bool parse_limit(const char *text, uint64_t *limit)
{
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    *limit = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *limit > 0;
}

static bool parse_options(int argc, char **argv, struct options *options)
{
    enum { INIT = 1, VERSION, DATA, PROCESSES, DESCRIPTORS, HOSTNAME };
    static const struct option KNOWN[] = {
        {"init", no_argument, NULL, INIT},
        {"version", no_argument, NULL, VERSION},
        {"rlimit-data", required_argument, NULL, DATA},
        {"rlimit-nproc", required_argument, NULL, PROCESSES},
        {"rlimit-nofile", required_argument, NULL, DESCRIPTORS},
        {"hostname", required_argument, NULL, HOSTNAME},
        {NULL, 0, NULL, 0},
    };
    for (int option; (option = getopt_long(argc, argv, "", KNOWN, NULL)) != -1;) {
        bool valid = true;
        switch (option) {
        case INIT:
            options->init = true;
            break;
        case VERSION:
            options->version = true;
            break;
        case DATA:
            valid = parse_limit(optarg, &options->limits.data_bytes);
            break;
        case PROCESSES:
            valid = parse_limit(optarg, &options->limits.processes);
            break;
        case DESCRIPTORS:
            valid = parse_limit(optarg, &options->limits.descriptors);
            break;
        case HOSTNAME:
            options->hostname = optarg;
            break;
        default:
            valid = false;
        }
        if (!valid)
            return false;
    }
    return optind == argc && (options->init || options->version);
}

/* ---- start sequence --------------------------------------------------------------------------------------------- */

enum { STAGES = 6 };

struct boot {
    struct boot_stage stages[STAGES];
    uint32_t count;
    uint64_t since;
};

static void stage_done(struct boot *boot, const char *name)
{
    uint64_t now = monotonic_micros();
    uint32_t micros = (uint32_t)(now - boot->since);
    boot->stages[boot->count++] = (struct boot_stage){name, micros};
    console_line("stage %s %u us", name, micros);
    boot->since = monotonic_micros();
}

/*
 * No handler exists anywhere in the agent: a signal from the guest (same uid) does to pid 1 what the kernel does with
 * unhandled signals to an init, nothing. SIGCHLD is blocked and read from a descriptor; a forged one only makes us look.
 */
static void quiet_signals(void)
{
    /* By system call: the C library will not touch 32 and 33, which a parent may have left ignored all the same. */
    static const unsigned long DEFAULT_ACTION[4];
    for (long number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, DEFAULT_ACTION, NULL, sizeof(unsigned long));
    signal(SIGPIPE, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

/* Requires: nothing yet opened. Leaves 1 and 2 as the console and 0 as /dev/null, so that no later descriptor is below 3. */
static void tidy_descriptors(void)
{
    privileges_close_inherited();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        console_fail_errno("opening /dev/null", errno, "The sandbox needs a /dev (bwrap --dev /dev)");
    if (dup2(null, STDIN_FILENO) < 0)
        console_fail_errno("closing standard input", errno, "This is a bug in capsem-agent; please report it");
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
    /* Standard output is the same console; the internal file operations replace it before they print. */
}

static void set_own_limits(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
}

/* The out-of-memory killer must not spare guest processes because the host's were spared. */
static void clear_oom_protection(void)
{
    char text[16] = "";
    int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t length = read(fd, text, sizeof text - 1);
    if (length > 0 && text[0] == '-' && pwrite(fd, "0", 1, 0) < 0)
        console_line("cannot clear oom_score_adj: %s", strerror(errno));
    close(fd);
}

static void check_hostname(const struct text *hostname, const char *option)
{
    char current[256] = "";
    char wanted[256];
    gethostname(current, sizeof current - 1);
    snprintf(wanted, sizeof wanted, "%.*s", (int)hostname->length, (const char *)hostname->bytes);
    const char *name = *wanted != '\0' ? wanted : option != NULL ? option : current;
    /* bwrap sets it; we may only if the launcher left us the capability. A wrong name is a nuisance, no danger. */
    if (strcmp(current, name) != 0 && sethostname(name, strlen(name)) < 0)
        console_line("the hostname stays '%.64s': %s", current, strerror(errno));
}

static _Noreturn void run(const struct options *options)
{
    static struct server server;
    static struct arena arena;
    static struct environment environment;
    struct boot boot = {.since = monotonic_micros()};

    tidy_descriptors();
    quiet_signals();
    set_own_limits();
    clear_oom_protection();
    host_hold();
    mcp_offer_relay();
    net_setup();
    stage_done(&boot, "network");

    channel_open(&server.control, PORT_CONTROL);
    channel_open(&server.terminal, PORT_TERMINAL);
    channel_open(&server.plain, PORT_EXEC);
    stage_done(&boot, "connect");

    struct host_frame frame;
    size_t size = channel_await_boot(&server.control, &frame);
    environment_init(&environment, &arena);
    if (environment_merge(&environment, &arena, frame.boot.environment) != 0)
        console_fail("the boot environment has an invalid name or more than 1024 entries",
                     "Correct the environment given at creation");
    const char *clients = environment_value(&environment, "CAPSEM_MCP_CLIENTS");
    if (clients != NULL)
        mcp_offer_configuration(clients);
    check_hostname(&frame.boot.hostname, options->hostname);
    channel_consume(&server.control, size);
    stage_done(&boot, "boot");

    redirect_listen();
    stage_done(&boot, "redirect");

    privileges_drop();
    stage_done(&boot, "privileges");

    if (environment_value(&environment, "CAPSEM_EXEC_AUDIT") != NULL)
        exec_audit_start();
    stage_done(&boot, "audit");
    redirect_start();

    serve(&server, &environment, &options->limits, boot.stages, boot.count);
}

int init_main(int argc, char **argv)
{
    struct options options = {0};
    if (!parse_options(argc, argv, &options)) {
        fputs(USAGE, stderr);
        return 2;
    }
    if (options.version) {
        puts("capsem-agent " CAPSEM_VERSION);
        return 0;
    }
    if (getpid() != 1) {
        console_line("FAILED: --init outside a sandbox. It must be pid 1; use capsem-launch");
        return 2;
    }
    run(&options);
}
