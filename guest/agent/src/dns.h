/* Redirected DNS over UDP: one host connection per query, and an answer at once even when the host refuses. */
#ifndef CAPSEM_DNS_H
#define CAPSEM_DNS_H

#include "loop.h"

void dns_init(struct loop *loop, int udp_socket);
void dns_after_batch(void);
int dns_next_timeout(void);

enum dns_code { DNS_SERVFAIL = 2, DNS_REFUSED = 5 };

/*
 * Writes the error answer to `query`: its header and question with the response bit and the code.
 * Answers its length, or 0 when the query is not one that may be answered.
 */
size_t dns_error_answer(const uint8_t *query, size_t length, enum dns_code code, uint8_t *answer, size_t capacity);

#endif
