#include "net_setup.h"

#include "console.h"
#include "netlink.h"
#include "nft_rules.h"
#include "refusal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The loopback is the first interface of every network namespace. */
enum { LOOPBACK_INDEX = 1, LAST_GROUP = 65535 };

static const char GUEST_ADDRESS[] = "10.0.2.15";

static void configure_loopback(void)
{
    struct netlink_batch batch = {0};

    struct ifinfomsg link = {.ifi_index = LOOPBACK_INDEX, .ifi_flags = IFF_UP, .ifi_change = IFF_UP};
    netlink_begin(&batch, RTM_NEWLINK, NLM_F_ACK, &link, sizeof link);

    struct in_addr address;
    inet_pton(AF_INET, GUEST_ADDRESS, &address);
    struct ifaddrmsg ifaddr = {.ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_index = LOOPBACK_INDEX};
    netlink_begin(&batch, RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &ifaddr, sizeof ifaddr);
    netlink_put(&batch, IFA_LOCAL, &address, sizeof address);
    netlink_put(&batch, IFA_ADDRESS, &address, sizeof address);

    uint32_t loopback = LOOPBACK_INDEX;
    struct rtmsg route = {
        .rtm_family = AF_INET,
        .rtm_table = RT_TABLE_MAIN,
        .rtm_protocol = RTPROT_BOOT,
        .rtm_scope = RT_SCOPE_LINK,
        .rtm_type = RTN_UNICAST,
    };
    netlink_begin(&batch, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &route, sizeof route);
    netlink_put(&batch, RTA_OIF, &loopback, sizeof loopback);
    netlink_put(&batch, RTA_PREFSRC, &address, sizeof address);

    static const char *const STEPS[] = {"bringing lo up", "adding 10.0.2.15 to lo", "adding the default route"};
    uint32_t refused;
    int error = netlink_send(&batch, NETLINK_ROUTE, &refused);
    if (error != 0) {
        const char *step = refused < sizeof STEPS / sizeof *STEPS ? STEPS[refused] : "network set-up";
        console_fail_errno(step, error, "The sandbox needs its own network namespace and CAP_NET_ADMIN in it");
    }
}

/*
 * Makes IPv6 destinations reachable, so that the rules refuse and record them; without a route nobody would hear of the
 * attempt. Where the host has switched IPv6 off there is nothing to record either.
 */
static void route_ipv6(void)
{
    struct netlink_batch batch = {0};
    uint32_t loopback = LOOPBACK_INDEX;
    struct rtmsg route = {
        .rtm_family = AF_INET6,
        .rtm_table = RT_TABLE_MAIN,
        .rtm_protocol = RTPROT_BOOT,
        .rtm_scope = RT_SCOPE_UNIVERSE,
        .rtm_type = RTN_UNICAST,
    };
    netlink_begin(&batch, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &route, sizeof route);
    netlink_put(&batch, RTA_OIF, &loopback, sizeof loopback);
    uint32_t refused;
    int error = netlink_send(&batch, NETLINK_ROUTE, &refused);
    if (error != 0)
        console_line("IPv6 has no route, so attempts to use it are not recorded: %s", strerror(error));
}

static int write_range(int fd, unsigned lowest, unsigned highest)
{
    char range[32];
    int length = snprintf(range, sizeof range, "%u %u", lowest, highest);
    return pwrite(fd, range, (size_t)length, 0) == length ? 0 : -1;
}

/*
 * Lets the guest's groups open ping sockets, so that the rules refuse and record what is sent; a network namespace starts
 * with none who may, and nobody would hear of the attempt. Groups that the sandbox does not have cannot be named.
 */
static void show_pings(void)
{
    int fd = open("/run/capsem/ping_group_range", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || (write_range(fd, 0, LAST_GROUP) < 0 && write_range(fd, getgid(), getgid()) < 0))
        console_line("nobody may ping, so attempts are not recorded: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
}

static int kernel_has_ipv6(void)
{
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno != EAFNOSUPPORT;
    close(fd);
    return 1;
}

static int send_rules(int with_ipv6, bool with_log, uint32_t *refused)
{
    struct netlink_batch batch = {0};
    struct in_addr address;
    inet_pton(AF_INET, GUEST_ADDRESS, &address);
    nft_put_rules(&batch, address.s_addr, with_ipv6, with_log);
    return netlink_send(&batch, NETLINK_NETFILTER, refused);
}

static void install_rules(int with_ipv6, bool with_log)
{
    uint32_t refused;
    int error = send_rules(with_ipv6, with_log, &refused);
    if (error != 0 && with_log) {
        console_line("refused datagrams and IPv6 connections will not be recorded: the kernel takes no rule that logs "
                     "(nft_log): %s",
                     strerror(error));
        error = send_rules(with_ipv6, false, &refused);
    }
    if (error != 0) {
        char cause[96];
        snprintf(cause, sizeof cause, "the kernel refused network rule %u", refused);
        console_fail_errno(cause, error,
                           "The host kernel needs nf_tables with nft_nat, nft_redir, nft_ct and nft_reject "
                           "(modprobe nf_tables nft_redir nft_ct nft_reject_ipv4 nft_reject_ipv6)");
    }
}

void net_setup(void)
{
    int with_ipv6 = kernel_has_ipv6();
    configure_loopback();
    install_rules(with_ipv6, refusal_open());
    if (with_ipv6)
        route_ipv6();
    show_pings();
}

void net_setup_redirect(void)
{
    configure_loopback();
    install_rules(kernel_has_ipv6(), false);
}
