#include "plumbing.h"

#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

void plumbing_close_guest(const struct plumbing *plumbing)
{
    for (int i = 0; i < 3; i++)
        close_if_open(plumbing->guest[i]);
}

void plumbing_close(const struct plumbing *plumbing)
{
    plumbing_close_guest(plumbing);
    close_if_open(plumbing->input);
    close_if_open(plumbing->output[0]);
    close_if_open(plumbing->output[1]);
}

static int open_pipe(int *ours, int *guests, bool is_input)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    *ours = ends[is_input];
    *guests = ends[!is_input];
    return fcntl(*ours, F_SETFL, O_NONBLOCK) < 0 ? errno : 0;
}

static int open_null(int *guests)
{
    *guests = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return *guests < 0 ? errno : 0;
}

static int lay_terminal(struct plumbing *plumbing, const struct host_frame *frame)
{
    int error = terminal_open(&plumbing->output[0], &plumbing->guest[1], frame->exec.rows, frame->exec.columns);
    if (error != 0)
        return error;
    plumbing->guest[2] = fcntl(plumbing->guest[1], F_DUPFD_CLOEXEC, 3);
    if (plumbing->guest[2] < 0)
        return errno;
    if (!(frame->exec.flags & EXEC_STDIN))
        return open_null(&plumbing->guest[0]);
    plumbing->guest[0] = fcntl(plumbing->guest[1], F_DUPFD_CLOEXEC, 3);
    plumbing->input = fcntl(plumbing->output[0], F_DUPFD_CLOEXEC, 3);
    return plumbing->guest[0] < 0 || plumbing->input < 0 ? errno : 0;
}

static int lay_pipes(struct plumbing *plumbing, const struct host_frame *frame)
{
    int error = (frame->exec.flags & EXEC_STDIN) ? open_pipe(&plumbing->input, &plumbing->guest[0], true)
                                                 : open_null(&plumbing->guest[0]);
    if (error == 0)
        error = open_pipe(&plumbing->output[0], &plumbing->guest[1], false);
    if (error == 0)
        error = open_pipe(&plumbing->output[1], &plumbing->guest[2], false);
    return error;
}

int plumbing_lay(struct plumbing *plumbing, const struct host_frame *frame)
{
    *plumbing = (struct plumbing){.guest = {-1, -1, -1}, .input = -1, .output = {-1, -1}};
    int error = (frame->exec.flags & EXEC_PTY) ? lay_terminal(plumbing, frame) : lay_pipes(plumbing, frame);
    if (error != 0)
        plumbing_close(plumbing);
    return error;
}
