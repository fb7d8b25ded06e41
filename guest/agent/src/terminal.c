#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS_DEFAULT = 24, COLUMNS_DEFAULT = 80 };

int terminal_open(int *master, int *slave, uint16_t rows, uint16_t columns)
{
    *master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (*master < 0)
        return errno;
    int unlock = 0;
    if (ioctl(*master, TIOCSPTLCK, &unlock) < 0)
        return errno;
    /* By descriptor, not by path: whatever the guest does to /dev/pts, this is our terminal's other end. */
    *slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*slave < 0)
        return errno;
    terminal_resize(*master, rows == 0 ? ROWS_DEFAULT : rows, columns == 0 ? COLUMNS_DEFAULT : columns);
    return 0;
}

void terminal_resize(int master, uint16_t rows, uint16_t columns)
{
    struct winsize size = {.ws_row = rows, .ws_col = columns};
    ioctl(master, TIOCSWINSZ, &size);
}

void terminal_end_input(int master, uint8_t last)
{
    struct termios settings;
    /* A program in raw mode (an editor) would take the character as data. */
    if (tcgetattr(master, &settings) < 0 || !(settings.c_lflag & ICANON))
        return;
    uint8_t end = settings.c_cc[VEOF];
    uint8_t typed[2] = {end, end};
    /* Within a line the first one only hands over the line's beginning. */
    ssize_t ignored = write(master, typed, last == '\n' || last == 0 ? 1 : 2);
    (void)ignored;
}
