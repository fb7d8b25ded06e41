/* The sandbox's nf_tables rules as one netlink batch, so that no `nft` program is needed in the guest. */
#ifndef CAPSEM_NFT_RULES_H
#define CAPSEM_NFT_RULES_H

#include "netlink.h"

#include <stdbool.h>

void nft_put_rules(struct netlink_batch *batch, uint32_t guest_address_be, bool with_ipv6, bool with_log);

#endif
