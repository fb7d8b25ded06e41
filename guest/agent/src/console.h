/* Lines on the sandbox's serial console: the agent's standard error. */
#ifndef CAPSEM_CONSOLE_H
#define CAPSEM_CONSOLE_H

#include <stdint.h>

void console_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the sandbox. Everything of the agent fails closed through here: as pid 1 its exit ends every guest process. */
_Noreturn void console_fail(const char *cause, const char *remedy);

/* The same with the text of `error` after the cause. */
_Noreturn void console_fail_errno(const char *cause, int error, const char *remedy);

uint64_t monotonic_micros(void);

#endif
