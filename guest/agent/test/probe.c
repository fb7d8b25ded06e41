/*
 * Guest code that tries what it must not be able to do. Each wrong answer of the sandbox is a line on standard output;
 * the exit code is their number.
 */
#include <sys/prctl.h>
#include <linux/seccomp.h>
#include <linux/filter.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;

static void complain(const char *what, const char *detail)
{
    printf("%s: %s\n", what, detail);
    wrong++;
}

static void expect_error(const char *what, long answer, int expected)
{
    int error = errno;
    if (answer != -1)
        complain(what, "was allowed");
    else if (error != expected)
        complain(what, strerror(error));
}

static void system_calls(void)
{
#define DENIED(name) expect_error(#name, syscall(SYS_##name, 0, 0, 0, 0, 0, 0), EPERM)
    DENIED(mount);
    DENIED(umount2);
    DENIED(pivot_root);
    DENIED(move_mount);
    DENIED(open_tree);
    DENIED(fsopen);
    DENIED(fsconfig);
    DENIED(fsmount);
    DENIED(fspick);
    DENIED(mount_setattr);
    DENIED(setns);
    DENIED(unshare);
    DENIED(ptrace);
    DENIED(process_vm_readv);
    DENIED(process_vm_writev);
    DENIED(pidfd_getfd);
    DENIED(kcmp);
    DENIED(bpf);
    DENIED(perf_event_open);
    DENIED(userfaultfd);
    DENIED(io_uring_setup);
    DENIED(io_uring_enter);
    DENIED(io_uring_register);
    DENIED(init_module);
    DENIED(finit_module);
    DENIED(delete_module);
    DENIED(kexec_load);
    DENIED(add_key);
    DENIED(request_key);
    DENIED(keyctl);
    DENIED(reboot);
    DENIED(syslog);
    DENIED(settimeofday);
    DENIED(clock_settime);
    DENIED(adjtimex);
    DENIED(swapon);
    DENIED(swapoff);
    DENIED(acct);
    DENIED(quotactl);
    DENIED(fanotify_init);
    DENIED(name_to_handle_at);
    DENIED(open_by_handle_at);
    DENIED(vhangup);
#ifdef __x86_64__
    DENIED(iopl);
    DENIED(ioperm);
    expect_error("x32 getpid", syscall(0x40000000 | SYS_getpid), EPERM);
#endif
    expect_error("clone3", syscall(SYS_clone3, 0, 0), ENOSYS);
    expect_error("clone(NEWUSER)", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0), EPERM);
    expect_error("clone(NEWNET)", syscall(SYS_clone, CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0), EPERM);
    expect_error("personality(READ_IMPLIES_EXEC)", personality(READ_IMPLIES_EXEC), EPERM);
    expect_error("TIOCSTI", ioctl(STDIN_FILENO, TIOCSTI, "x"), EPERM);
    struct rlimit limit = {1, 1};
    expect_error("prlimit of pid 1", prlimit(1, RLIMIT_NOFILE, &limit, NULL), EPERM);
    /* Another pid may be that of one of its threads. */
    expect_error("prlimit of pid 2", prlimit(2, RLIMIT_NOFILE, &limit, NULL), EPERM);
    if (prlimit(getpid(), RLIMIT_NOFILE, NULL, &limit) < 0)
        complain("reading limits by pid", strerror(errno));
    if (prlimit(0, RLIMIT_NOFILE, &limit, NULL) < 0)
        complain("setting one's own limits", strerror(errno));
    if (personality(0xFFFFFFFF) < 0)
        complain("personality(query)", strerror(errno));
}

static void foreign_architecture(void)
{
#ifdef __x86_64__
    pid_t child = fork();
    if (child == 0) {
        long answer;
        __asm__ volatile("int $0x80" : "=a"(answer) : "a"(20L) : "memory"); /* getpid of i386 */
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status))
        complain("a 32-bit system call", "was allowed");
#endif
}

static void expect_no_socket(const char *what, int family, int type, int protocol)
{
    expect_error(what, socket(family, type, protocol), EPERM);
}

static void sockets(void)
{
    expect_no_socket("AF_VSOCK", AF_VSOCK, SOCK_STREAM, 0);
    expect_no_socket("AF_PACKET", AF_PACKET, SOCK_RAW, 0);
    expect_no_socket("AF_ALG", AF_ALG, SOCK_SEQPACKET, 0);
    expect_no_socket("AF_KEY", AF_KEY, SOCK_RAW, 2);
    expect_no_socket("AF_BLUETOOTH", AF_BLUETOOTH, SOCK_RAW, 0);
    expect_no_socket("AF_XDP", AF_XDP, SOCK_RAW, 0);
    expect_no_socket("AF_TIPC", AF_TIPC, SOCK_STREAM, 0);
    expect_no_socket("AF_RXRPC", AF_RXRPC, SOCK_DGRAM, AF_INET);
    expect_no_socket("raw IPv4", AF_INET, SOCK_RAW, IPPROTO_ICMP);
    expect_no_socket("raw IPv6", AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
    expect_no_socket("SCTP", AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    expect_no_socket("NETLINK_NETFILTER", AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER);
    expect_no_socket("NETLINK_KOBJECT_UEVENT", AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT);
    if (socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) < 0)
        complain("NETLINK_ROUTE", strerror(errno));
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        complain("a Unix socket pair", strerror(errno));
}

static void network(void)
{
    struct sockaddr_in outside = {.sin_family = AF_INET, .sin_port = htons(9999)};
    inet_pton(AF_INET, "192.0.2.1", &outside.sin_addr);
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    expect_error("UDP to the outside", sendto(udp, "x", 1, 0, (struct sockaddr *)&outside, sizeof outside), EPERM);

    static const uint8_t QUERY[] = {0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 0, 0, 1, 0, 1};
    uint8_t answer[512];
    struct pollfd ready = {.fd = udp, .events = POLLIN};
    struct sockaddr_in from;
    socklen_t from_size = sizeof from;
    outside.sin_port = htons(53);
    if (sendto(udp, QUERY, sizeof QUERY, 0, (struct sockaddr *)&outside, sizeof outside) < 0 ||
        poll(&ready, 1, 5000) != 1 ||
        recvfrom(udp, answer, sizeof answer, 0, (struct sockaddr *)&from, &from_size) < (ssize_t)sizeof QUERY ||
        from.sin_addr.s_addr != outside.sin_addr.s_addr || answer[0] != 0x12 || !(answer[2] & 0x80))
        complain("DNS from an unconnected socket", "has no answer");

    struct sockaddr_in6 outside6 = {.sin6_family = AF_INET6, .sin6_port = htons(80)};
    inet_pton(AF_INET6, "2001:db8::1", &outside6.sin6_addr);
    int tcp6 = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (tcp6 >= 0 && connect(tcp6, (struct sockaddr *)&outside6, sizeof outside6) == 0)
        complain("IPv6 to the outside", "connects");
    else if (tcp6 >= 0 && errno == EINPROGRESS) {
        /* Without a reset the kernel would try again for minutes, first after a second. */
        struct pollfd decided = {.fd = tcp6, .events = POLLOUT};
        int error = 0;
        socklen_t size = sizeof error;
        if (poll(&decided, 1, 900) != 1 || getsockopt(tcp6, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error == 0)
            complain("IPv6 to the outside", "does not fail at once");
    }

    struct ifreq down = {.ifr_name = "lo"};
    expect_error("taking lo down", ioctl(udp, SIOCSIFFLAGS, &down), EPERM);

    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(15001), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int redirect = socket(AF_INET, SOCK_STREAM, 0);
    char byte;
    if (connect(redirect, (struct sockaddr *)&own, sizeof own) == 0 && recv(redirect, &byte, 1, 0) > 0)
        complain("the redirect listener itself", "answered");
    int taken = socket(AF_INET, SOCK_STREAM, 0);
    int yes = 1;
    setsockopt(taken, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    setsockopt(taken, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
    expect_error("taking the redirect port", bind(taken, (struct sockaddr *)&own, sizeof own), EADDRINUSE);
}

static void control_ports(void)
{
    static const int PORTS[] = {5000, 5001, 5005};
    for (int i = 0; i < 3; i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        snprintf(address.sun_path, sizeof address.sun_path, "/run/capsem/vsock/%d", PORTS[i]);
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
            complain(address.sun_path, "accepted a second connection");
        close(fd);
    }
}

static void pid_one(void)
{
    static const char *const FILES[] = {"/proc/1/environ", "/proc/1/mem",  "/proc/1/maps", "/proc/1/fd/1",
                                        "/proc/1/root/.",  "/proc/1/cwd/.", "/proc/1/auxv", "/proc/1/stack"};
    char byte;
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        int fd = open(FILES[i], O_RDONLY);
        if (fd >= 0 && read(fd, &byte, 1) > 0)
            complain(FILES[i], "can be read");
    }
    /* The numbers may be seen (ns root owns the directory), what is behind them may not. */
    DIR *descriptors = opendir("/proc/1/fd");
    for (struct dirent *entry; descriptors != NULL && (entry = readdir(descriptors)) != NULL;) {
        char target[256];
        if (entry->d_name[0] != '.' && readlinkat(dirfd(descriptors), entry->d_name, target, sizeof target) >= 0)
            complain("/proc/1/fd", "can be followed");
        if (entry->d_name[0] != '.' && openat(dirfd(descriptors), entry->d_name, O_RDONLY) >= 0)
            complain("/proc/1/fd", "can be opened");
    }
    /* The redirect thread must be as closed as the main one. */
    DIR *tasks = opendir("/proc/1/task");
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        char path[300];
        snprintf(path, sizeof path, "/proc/1/task/%s/environ", task->d_name);
        int fd = open(path, O_RDONLY);
        if (task->d_name[0] != '.' && fd >= 0 && read(fd, &byte, 1) > 0)
            complain(path, "can be read");
    }
    for (int number = 1; number < NSIG; number++)
        kill(1, number); /* whoever reads the result knows that pid 1 still lives */
}

static void own_status(void)
{
    static const char *const WANTED[] = {"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000",
                                         "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000",
                                         "CapAmb:\t0000000000000000", "NoNewPrivs:\t1",
                                         "Seccomp:\t2",               "SigBlk:\t0000000000000000",
                                         "SigIgn:\t0000000000000000"};
    char text[4096] = "";
    int fd = open("/proc/self/status", O_RDONLY);
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    for (size_t i = 0; length > 0 && i < sizeof WANTED / sizeof *WANTED; i++)
        if (strstr(text, WANTED[i]) == NULL)
            complain("/proc/self/status lacks", WANTED[i]);
    for (fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            complain("an inherited descriptor", "is open");
}

/* Two tries not to be seen when it starts a program: memory that nobody may read, and a filter of its own. */
static int exec_unseen(const char *how)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = 1, .filter = &allow};
    if (strcmp(how, "undumpable") == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        return 1;
    if (strcmp(how, "filter") == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 2;
    execl("/bin/echo", "echo", how, NULL);
    return 3;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return exec_unseen(argv[1]);
    own_status();
    system_calls();
    foreign_architecture();
    sockets();
    network();
    control_ports();
    pid_one();
    return wrong > 100 ? 100 : wrong;
}
