/* Which script an interpreter runs, as its command line says. The process can say what it likes there. */
#ifndef CAPSEM_SCRIPT_H
#define CAPSEM_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The script among the arguments of a program, or NULL: no interpreter that is known, code on the command line
 * instead of a file, or nothing but options.
 *
 * arguments: as in /proc/PID/cmdline, each with its NUL; a last one without it was cut and does not count.
 */
const char *script_among(const char *executable, const char *arguments, size_t length);

#endif
