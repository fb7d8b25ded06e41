#include "console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char PREFIX[] = "capsem-agent: ";

void console_line(const char *format, ...)
{
    char line[512];
    size_t length = sizeof PREFIX - 1;
    memcpy(line, PREFIX, length);

    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    if (written < 0)
        return;
    length += (size_t)written;
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';

    /* One write a line, so that lines of two threads do not mix. A console nobody reads must not end the sandbox. */
    ssize_t ignored = write(STDERR_FILENO, line, length);
    (void)ignored;
}

void console_fail(const char *cause, const char *remedy)
{
    console_line("FAILED: %s. %s", cause, remedy);
    _exit(1);
}

void console_fail_errno(const char *cause, int error, const char *remedy)
{
    console_line("FAILED: %s: %s. %s", cause, strerror(error), remedy);
    _exit(1);
}

uint64_t monotonic_micros(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}
