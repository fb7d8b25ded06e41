#include "nft_rules.h"

#include "net_setup.h"
#include "refusal.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/icmp6.h>
#include <string.h>
#include <sys/socket.h>

/*
 * table ip capsem {
 *   chain nat    { type nat hook output priority -100;
 *                  ip daddr 127.0.0.0/8 accept; ip daddr 10.0.2.15 accept;
 *                  udp dport 53 redirect to :15353; tcp dport 53 redirect to :15353; meta l4proto tcp redirect to :15001 }
 *   chain filter { type filter hook output priority 0; policy drop;
 *                  ct status dnat accept; ip daddr 127.0.0.0/8 accept; ip daddr 10.0.2.15 accept;
 *                  meta l4proto != tcp log group 1; reject with icmp admin-prohibited }
 * }
 * table ip6 capsem {
 *   chain filter { type filter hook output priority 0; policy drop;
 *                  ip6 daddr ::1 accept; log group 1; meta l4proto tcp reject with tcp reset;
 *                  reject with icmpv6 admin-prohibited }
 * }
 * Rejecting, rather than dropping, makes a forbidden sendto fail with EPERM at once instead of time out. A connect takes
 * only a reset at once. What is logged is told to the host; IPv4's TCP is not, because all of it was redirected: what
 * comes here are late segments of connections that are over.
 */

static const char TABLE[] = "capsem";

struct rules {
    struct netlink_batch *batch;
    uint8_t family;
    const char *chain;
};

static void begin_message(struct rules *rules, uint16_t type, uint16_t flags)
{
    struct nfgenmsg header = {.nfgen_family = rules->family, .version = NFNETLINK_V0};
    netlink_begin(rules->batch, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), NLM_F_ACK | NLM_F_CREATE | flags, &header,
                  sizeof header);
}

static void put_batch_edge(struct netlink_batch *batch, uint16_t type)
{
    struct nfgenmsg header = {.version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)};
    netlink_begin(batch, type, 0, &header, sizeof header);
}

static void put_table(struct rules *rules, uint8_t family)
{
    rules->family = family;
    begin_message(rules, NFT_MSG_NEWTABLE, 0);
    netlink_put_text(rules->batch, NFTA_TABLE_NAME, TABLE);
}

static void put_output_chain(struct rules *rules, const char *type, int32_t priority, uint32_t policy)
{
    rules->chain = type;
    begin_message(rules, NFT_MSG_NEWCHAIN, 0);
    netlink_put_text(rules->batch, NFTA_CHAIN_TABLE, TABLE);
    netlink_put_text(rules->batch, NFTA_CHAIN_NAME, type);
    netlink_put_text(rules->batch, NFTA_CHAIN_TYPE, type);
    size_t hook = netlink_nest(rules->batch, NFTA_CHAIN_HOOK);
    netlink_put_be32(rules->batch, NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT);
    netlink_put_be32(rules->batch, NFTA_HOOK_PRIORITY, (uint32_t)priority);
    netlink_unnest(rules->batch, hook);
    netlink_put_be32(rules->batch, NFTA_CHAIN_POLICY, policy);
}

static size_t begin_rule(struct rules *rules)
{
    begin_message(rules, NFT_MSG_NEWRULE, NLM_F_APPEND);
    netlink_put_text(rules->batch, NFTA_RULE_TABLE, TABLE);
    netlink_put_text(rules->batch, NFTA_RULE_CHAIN, rules->chain);
    return netlink_nest(rules->batch, NFTA_RULE_EXPRESSIONS);
}

/* ---- expressions; all of them work on register 1 ---------------------------------------------------------------- */

struct expression {
    size_t element;
    size_t data;
};

static struct expression begin_expression(struct rules *rules, const char *name)
{
    struct expression expression;
    expression.element = netlink_nest(rules->batch, NFTA_LIST_ELEM);
    netlink_put_text(rules->batch, NFTA_EXPR_NAME, name);
    expression.data = netlink_nest(rules->batch, NFTA_EXPR_DATA);
    return expression;
}

static void end_expression(struct rules *rules, struct expression expression)
{
    netlink_unnest(rules->batch, expression.data);
    netlink_unnest(rules->batch, expression.element);
}

static void put_value(struct rules *rules, uint16_t attribute, const void *value, size_t size)
{
    size_t nest = netlink_nest(rules->batch, attribute);
    netlink_put(rules->batch, NFTA_DATA_VALUE, value, size);
    netlink_unnest(rules->batch, nest);
}

static void load_payload(struct rules *rules, uint32_t base, uint32_t offset, uint32_t size)
{
    struct expression expression = begin_expression(rules, "payload");
    netlink_put_be32(rules->batch, NFTA_PAYLOAD_DREG, NFT_REG_1);
    netlink_put_be32(rules->batch, NFTA_PAYLOAD_BASE, base);
    netlink_put_be32(rules->batch, NFTA_PAYLOAD_OFFSET, offset);
    netlink_put_be32(rules->batch, NFTA_PAYLOAD_LEN, size);
    end_expression(rules, expression);
}

static void mask(struct rules *rules, const void *bits, uint32_t size)
{
    static const uint8_t ZEROES[16];
    struct expression expression = begin_expression(rules, "bitwise");
    netlink_put_be32(rules->batch, NFTA_BITWISE_SREG, NFT_REG_1);
    netlink_put_be32(rules->batch, NFTA_BITWISE_DREG, NFT_REG_1);
    netlink_put_be32(rules->batch, NFTA_BITWISE_LEN, size);
    put_value(rules, NFTA_BITWISE_MASK, bits, size);
    put_value(rules, NFTA_BITWISE_XOR, ZEROES, size);
    end_expression(rules, expression);
}

static void compare(struct rules *rules, uint32_t operation, const void *value, size_t size)
{
    struct expression expression = begin_expression(rules, "cmp");
    netlink_put_be32(rules->batch, NFTA_CMP_SREG, NFT_REG_1);
    netlink_put_be32(rules->batch, NFTA_CMP_OP, operation);
    put_value(rules, NFTA_CMP_DATA, value, size);
    end_expression(rules, expression);
}

static void match_protocol(struct rules *rules, uint32_t operation, uint8_t protocol)
{
    struct expression expression = begin_expression(rules, "meta");
    netlink_put_be32(rules->batch, NFTA_META_DREG, NFT_REG_1);
    netlink_put_be32(rules->batch, NFTA_META_KEY, NFT_META_L4PROTO);
    end_expression(rules, expression);
    compare(rules, operation, &protocol, sizeof protocol);
}

static void accept_packet(struct rules *rules)
{
    struct expression expression = begin_expression(rules, "immediate");
    netlink_put_be32(rules->batch, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
    size_t data = netlink_nest(rules->batch, NFTA_IMMEDIATE_DATA);
    size_t chosen = netlink_nest(rules->batch, NFTA_DATA_VERDICT);
    netlink_put_be32(rules->batch, NFTA_VERDICT_CODE, NF_ACCEPT);
    netlink_unnest(rules->batch, chosen);
    netlink_unnest(rules->batch, data);
    end_expression(rules, expression);
}

static void redirect_to(struct rules *rules, uint16_t port)
{
    uint16_t port_be = htons(port);
    struct expression expression = begin_expression(rules, "immediate");
    netlink_put_be32(rules->batch, NFTA_IMMEDIATE_DREG, NFT_REG_1);
    put_value(rules, NFTA_IMMEDIATE_DATA, &port_be, sizeof port_be);
    end_expression(rules, expression);
    expression = begin_expression(rules, "redir");
    netlink_put_be32(rules->batch, NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
    end_expression(rules, expression);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static void put_accept_loopback(struct rules *rules, uint32_t guest_address_be)
{
    static const uint8_t NETWORK[] = {127, 0, 0, 0};
    static const uint8_t NETWORK_MASK[] = {255, 0, 0, 0};
    enum { DESTINATION_OFFSET = 16, DESTINATION_SIZE = 4 };

    size_t rule = begin_rule(rules);
    load_payload(rules, NFT_PAYLOAD_NETWORK_HEADER, DESTINATION_OFFSET, DESTINATION_SIZE);
    mask(rules, NETWORK_MASK, sizeof NETWORK_MASK);
    compare(rules, NFT_CMP_EQ, NETWORK, sizeof NETWORK);
    accept_packet(rules);
    netlink_unnest(rules->batch, rule);

    rule = begin_rule(rules);
    load_payload(rules, NFT_PAYLOAD_NETWORK_HEADER, DESTINATION_OFFSET, DESTINATION_SIZE);
    compare(rules, NFT_CMP_EQ, &guest_address_be, sizeof guest_address_be);
    accept_packet(rules);
    netlink_unnest(rules->batch, rule);
}

static void put_redirect_dns(struct rules *rules, uint8_t protocol)
{
    enum { DESTINATION_PORT_OFFSET = 2, DESTINATION_PORT_SIZE = 2 };
    uint16_t domain = htons(53);

    size_t rule = begin_rule(rules);
    match_protocol(rules, NFT_CMP_EQ, protocol);
    load_payload(rules, NFT_PAYLOAD_TRANSPORT_HEADER, DESTINATION_PORT_OFFSET, DESTINATION_PORT_SIZE);
    compare(rules, NFT_CMP_EQ, &domain, sizeof domain);
    redirect_to(rules, REDIRECT_DNS_PORT);
    netlink_unnest(rules->batch, rule);
}

static void put_redirect_tcp(struct rules *rules)
{
    size_t rule = begin_rule(rules);
    match_protocol(rules, NFT_CMP_EQ, IPPROTO_TCP);
    redirect_to(rules, REDIRECT_TCP_PORT);
    netlink_unnest(rules->batch, rule);
}

static void put_accept_redirected(struct rules *rules)
{
    uint32_t redirected = IPS_DST_NAT;
    uint32_t none = 0;

    size_t rule = begin_rule(rules);
    struct expression expression = begin_expression(rules, "ct");
    netlink_put_be32(rules->batch, NFTA_CT_DREG, NFT_REG_1);
    netlink_put_be32(rules->batch, NFTA_CT_KEY, NFT_CT_STATUS);
    end_expression(rules, expression);
    mask(rules, &redirected, sizeof redirected);
    compare(rules, NFT_CMP_NEQ, &none, sizeof none);
    accept_packet(rules);
    netlink_unnest(rules->batch, rule);
}

static void put_accept_loopback6(struct rules *rules)
{
    enum { DESTINATION_OFFSET = 24, DESTINATION_SIZE = 16 };
    size_t rule = begin_rule(rules);
    load_payload(rules, NFT_PAYLOAD_NETWORK_HEADER, DESTINATION_OFFSET, DESTINATION_SIZE);
    compare(rules, NFT_CMP_EQ, &in6addr_loopback, sizeof in6addr_loopback);
    accept_packet(rules);
    netlink_unnest(rules->batch, rule);
}

static void log_packet(struct rules *rules)
{
    uint16_t group = htons(REFUSAL_LOG_GROUP);
    uint16_t at_once = htons(1);
    struct expression expression = begin_expression(rules, "log");
    netlink_put(rules->batch, NFTA_LOG_GROUP, &group, sizeof group);
    netlink_put_be32(rules->batch, NFTA_LOG_SNAPLEN, REFUSAL_PACKET_BYTES);
    netlink_put(rules->batch, NFTA_LOG_QTHRESHOLD, &at_once, sizeof at_once);
    end_expression(rules, expression);
}

static void put_log_all(struct rules *rules)
{
    size_t rule = begin_rule(rules);
    log_packet(rules);
    netlink_unnest(rules->batch, rule);
}

static void put_log_other_than_tcp(struct rules *rules)
{
    size_t rule = begin_rule(rules);
    match_protocol(rules, NFT_CMP_NEQ, IPPROTO_TCP);
    log_packet(rules);
    netlink_unnest(rules->batch, rule);
}

static void put_reset_tcp(struct rules *rules)
{
    size_t rule = begin_rule(rules);
    match_protocol(rules, NFT_CMP_EQ, IPPROTO_TCP);
    struct expression expression = begin_expression(rules, "reject");
    netlink_put_be32(rules->batch, NFTA_REJECT_TYPE, NFT_REJECT_TCP_RST);
    end_expression(rules, expression);
    netlink_unnest(rules->batch, rule);
}

static void put_reject(struct rules *rules, uint8_t icmp_code)
{
    size_t rule = begin_rule(rules);
    struct expression expression = begin_expression(rules, "reject");
    netlink_put_be32(rules->batch, NFTA_REJECT_TYPE, NFT_REJECT_ICMP_UNREACH);
    netlink_put(rules->batch, NFTA_REJECT_ICMP_CODE, &icmp_code, sizeof icmp_code);
    end_expression(rules, expression);
    netlink_unnest(rules->batch, rule);
}

void nft_put_rules(struct netlink_batch *batch, uint32_t guest_address_be, bool with_ipv6, bool with_log)
{
    struct rules rules = {.batch = batch};

    put_batch_edge(batch, NFNL_MSG_BATCH_BEGIN);
    put_table(&rules, NFPROTO_IPV4);
    put_output_chain(&rules, "nat", NF_IP_PRI_NAT_DST, NF_ACCEPT);
    put_accept_loopback(&rules, guest_address_be);
    put_redirect_dns(&rules, IPPROTO_UDP);
    put_redirect_dns(&rules, IPPROTO_TCP);
    put_redirect_tcp(&rules);
    put_output_chain(&rules, "filter", NF_IP_PRI_FILTER, NF_DROP);
    put_accept_redirected(&rules);
    put_accept_loopback(&rules, guest_address_be);
    if (with_log)
        put_log_other_than_tcp(&rules);
    put_reject(&rules, ICMP_PKT_FILTERED);
    if (with_ipv6) {
        put_table(&rules, NFPROTO_IPV6);
        put_output_chain(&rules, "filter", NF_IP_PRI_FILTER, NF_DROP);
        put_accept_loopback6(&rules);
        if (with_log)
            put_log_all(&rules);
        put_reset_tcp(&rules);
        put_reject(&rules, ICMP6_DST_UNREACH_ADMIN);
    }
    put_batch_edge(batch, NFNL_MSG_BATCH_END);
}
