/* Pseudo-terminals of execs with the PTY flag. */
#ifndef CAPSEM_TERMINAL_H
#define CAPSEM_TERMINAL_H

#include <stdint.h>

/* Answers 0 with a non-blocking master and a slave, or an errno. */
int terminal_open(int *master, int *slave, uint16_t rows, uint16_t columns);
void terminal_resize(int master, uint16_t rows, uint16_t columns);

/* Types the end-of-file character, as a person would; `last` is the byte typed before it. */
void terminal_end_input(int master, uint8_t last);

#endif
