/* What the C tests share: a claim that prints itself when it is wrong. */
#ifndef CAPSEM_CHECK_H
#define CAPSEM_CHECK_H

#include <stdio.h>

static int failures;
static int checks;

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(condition)) {                                                                                            \
            failures++;                                                                                                \
            fprintf(stderr, "%s:%d: wrong: %s: ", __FILE__, __LINE__, #condition);                                     \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
        }                                                                                                              \
    } while (0)

#endif
