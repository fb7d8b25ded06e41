#include "seccomp.h"

#include "console.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
enum { X32_BIT = 0x40000000 };
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "no seccomp table for this architecture"
#endif

/* Newer than some C libraries' headers; the numbers are the same on every architecture from 424 on. */
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

/* Mounts and namespaces: the way out of the root and of the network rules. */
static const unsigned DENIED_WORLDS[] = {
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_move_mount, SYS_open_tree, SYS_open_tree_attr, SYS_fsopen, SYS_fsconfig,
    SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_setns, SYS_unshare,
};

/*
 * Denied whatever the arguments. Most also need a capability nobody in the sandbox has; they are listed because a
 * user namespace, a kernel bug or a later change must not bring them back, and to keep kernel surface small.
 */
static const unsigned DENIED[] = {
    /* Other processes' memory and descriptors; pid 1 has the same uid. */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp,
    /* Kernel code, and the interfaces most kernel exploits come through. */
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_add_key, SYS_request_key, SYS_keyctl,
    /* The host as a whole: its clock, log, swap, quotas, accounting. */
    SYS_reboot, SYS_syslog, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_swapon,
    SYS_swapoff, SYS_acct, SYS_quotactl, SYS_quotactl_fd, SYS_nfsservctl, SYS_vhangup, SYS_fanotify_init,
    /* Files by handle go past every mount and path check. */
    SYS_name_to_handle_at, SYS_open_by_handle_at,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_lookup_dcookie
    SYS_lookup_dcookie,
#endif
#ifdef __x86_64__
    SYS_iopl, SYS_ioperm, SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl, SYS_create_module, SYS_get_kernel_syms,
    SYS_query_module,
#endif
};

/* clone's namespace flags. CLONE_NEWTIME lies in clone's signal byte and works with clone3 and unshare only. */
enum {
    CLONE_NEW_ANY = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
                    CLONE_NEWCGROUP,
    SOCKET_TYPE_MASK = 0xF,
    MPTCP = 262,
    TERMINAL_INPUT_INJECTION = 0x5412, /* TIOCSTI */
    TERMINAL_PASTE = 0x541C,           /* TIOCLINUX */
};

/* PER_LINUX, PER_LINUX32, UNAME26, both, ADDR_NO_RANDOMIZE, and the question for the current value. */
static const unsigned PERSONALITIES[] = {0, 0x8, 0x20000, 0x20008, 0x40000, 0xFFFFFFFF};

static const unsigned INET_FAMILIES[] = {AF_INET, AF_INET6};

static const unsigned INET_PROTOCOLS[] = {0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6, MPTCP};

enum { PROGRAM_MAX = 512 };

struct program {
    struct sock_filter steps[PROGRAM_MAX];
    unsigned length;
};

static void step(struct program *program, struct sock_filter filter)
{
    if (program->length == PROGRAM_MAX)
        console_fail("the seccomp filter is too long", "This is a bug in capsem-agent; please report it");
    program->steps[program->length++] = filter;
}

#define ANSWER(value) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (value)))
#define REFUSE(number) ANSWER(SECCOMP_RET_ERRNO | (number))
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)

static void load(struct program *program, size_t offset)
{
    step(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/* The low half of an argument: both architectures are little-endian, and all arguments looked at are 32 bits wide. */
static void load_argument(struct program *program, unsigned index)
{
    load(program, offsetof(struct seccomp_data, args) + index * sizeof(__u64));
}

/* Runs the next step only when the loaded word equals (or, below, does not equal) the value. */
static void when_equal(struct program *program, unsigned value)
{
    step(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
}

static void when_any_bit(struct program *program, unsigned bits)
{
    step(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
}

/* Leaves a hole for a jump over everything until end_case. */
static unsigned begin_case(struct program *program, unsigned number)
{
    step(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0));
    return program->length - 1;
}

static void end_case(struct program *program, unsigned opening)
{
    program->steps[opening].jf = (__u8)(program->length - 1 - opening);
}

static void allow_only(struct program *program, const unsigned *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        when_equal(program, values[i]);
        step(program, ALLOW);
    }
    step(program, REFUSE(EPERM));
}

static void put_architecture(struct program *program)
{
    load(program, offsetof(struct seccomp_data, arch));
    step(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0));
    step(program, ANSWER(SECCOMP_RET_KILL_PROCESS));
    load(program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    step(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
    step(program, REFUSE(EPERM));
#endif
}

static void deny(struct program *program, const unsigned *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        when_equal(program, numbers[i]);
        step(program, REFUSE(EPERM));
    }
}

static void put_clone(struct program *program)
{
    /* clone3's flags lie in memory, out of a filter's sight. ENOSYS makes every C library fall back to clone. */
    when_equal(program, SYS_clone3);
    step(program, REFUSE(ENOSYS));

    unsigned opening = begin_case(program, SYS_clone);
    load_argument(program, 0);
    when_any_bit(program, CLONE_NEW_ANY);
    step(program, REFUSE(EPERM));
    step(program, ALLOW);
    end_case(program, opening);
}

static void put_socket(struct program *program)
{
    unsigned opening = begin_case(program, SYS_socket);
    load_argument(program, 0);
    unsigned netlink = begin_case(program, AF_NETLINK);
    load_argument(program, 2);
    when_equal(program, NETLINK_ROUTE); /* Node and Go list interfaces through it */
    step(program, ALLOW);
    step(program, REFUSE(EPERM));
    end_case(program, netlink);
    when_equal(program, AF_UNIX);
    step(program, ALLOW);
    for (size_t i = 0; i < sizeof INET_FAMILIES / sizeof *INET_FAMILIES; i++) {
        unsigned inet = begin_case(program, INET_FAMILIES[i]);
        load_argument(program, 1);
        step(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE_MASK));
        when_equal(program, SOCK_RAW);
        step(program, REFUSE(EPERM));
        when_equal(program, SOCK_PACKET);
        step(program, REFUSE(EPERM));
        load_argument(program, 2);
        allow_only(program, INET_PROTOCOLS, sizeof INET_PROTOCOLS / sizeof *INET_PROTOCOLS);
        end_case(program, inet);
    }
    step(program, REFUSE(EPERM)); /* vsock, packet, alg, key, xdp, tipc, bluetooth and whatever comes next */
    end_case(program, opening);

    opening = begin_case(program, SYS_socketpair);
    load_argument(program, 0);
    when_equal(program, AF_UNIX);
    step(program, ALLOW);
    step(program, REFUSE(EPERM));
    end_case(program, opening);
}

static void put_arguments(struct program *program)
{
    unsigned opening = begin_case(program, SYS_ioctl);
    load_argument(program, 1);
    when_equal(program, TERMINAL_INPUT_INJECTION);
    step(program, REFUSE(EPERM));
    when_equal(program, TERMINAL_PASTE);
    step(program, REFUSE(EPERM));
    step(program, ALLOW);
    end_case(program, opening);

    opening = begin_case(program, SYS_personality);
    load_argument(program, 0);
    allow_only(program, PERSONALITIES, sizeof PERSONALITIES / sizeof *PERSONALITIES);
    end_case(program, opening);

    /*
     * A limit on the agent (same uid), by its pid or by that of one of its threads, could starve or kill it. A filter
     * does not know who calls, so limits are set on oneself, as 0, alone; anybody's may be read.
     */
    opening = begin_case(program, SYS_prlimit64);
    load_argument(program, 0);
    when_equal(program, 0);
    step(program, ALLOW);
    load_argument(program, 2);
    when_any_bit(program, ~0U);
    step(program, REFUSE(EPERM));
    load(program, offsetof(struct seccomp_data, args) + 2 * sizeof(__u64) + sizeof(__u32));
    when_any_bit(program, ~0U);
    step(program, REFUSE(EPERM));
    step(program, ALLOW);
    end_case(program, opening);
}

static struct program *filter(bool makes_namespaces)
{
    static struct program program;
    program.length = 0;
    put_architecture(&program);
    if (!makes_namespaces) {
        put_clone(&program);
        deny(&program, DENIED_WORLDS, sizeof DENIED_WORLDS / sizeof *DENIED_WORLDS);
    }
    put_socket(&program);
    put_arguments(&program);
    deny(&program, DENIED, sizeof DENIED / sizeof *DENIED);
    step(&program, ALLOW);
    return &program;
}

void seccomp_install(bool makes_namespaces)
{
    struct program *program = filter(makes_namespaces);
    struct sock_fprog handed = {.len = (unsigned short)program->length, .filter = program->steps};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &handed) != 0)
        console_fail_errno("installing the seccomp filter", errno,
                           "The host kernel must be built with CONFIG_SECCOMP_FILTER");
}

int seccomp_file(bool makes_namespaces)
{
    struct program *program = filter(makes_namespaces);
    ssize_t size = (ssize_t)(program->length * sizeof *program->steps);
    int file = memfd_create("seccomp", 0);
    if (file < 0 || write(file, program->steps, (size_t)size) != size || lseek(file, 0, SEEK_SET) != 0)
        console_fail_errno("keeping the seccomp filter", errno, "The host may be out of memory or descriptors");
    return file;
}
