#include "loop.h"

#include "console.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

static const char REMEDY[] = "The host may be out of memory or descriptors";

void loop_init(struct loop *loop)
{
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll < 0)
        console_fail_errno("creating an epoll descriptor", errno, REMEDY);
}

static void control(struct loop *loop, struct watch *watch, int operation, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};
    if (epoll_ctl(loop->epoll, operation, watch->fd, &event) < 0)
        console_fail_errno("changing an epoll registration", errno, REMEDY);
}

static void register_events(struct loop *loop, struct watch *watch, uint32_t events)
{
    if (watch->registered && watch->events == events)
        return;
    control(loop, watch, watch->registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, events);
    watch->registered = true;
    watch->events = events;
}

void loop_watch(struct loop *loop, struct watch *watch, uint32_t events)
{
    if (watch->fd < 0)
        return;
    if (events != 0) {
        register_events(loop, watch, events);
    } else if (watch->registered) {
        control(loop, watch, EPOLL_CTL_DEL, 0);
        watch->registered = false;
    }
}

void loop_watch_hangup(struct loop *loop, struct watch *watch)
{
    if (watch->fd >= 0)
        register_events(loop, watch, 0);
}

void loop_close(struct loop *loop, struct watch *watch)
{
    if (watch->fd < 0)
        return;
    loop_watch(loop, watch, 0);
    close(watch->fd);
    watch->fd = -1;
}

void loop_run(struct loop *loop)
{
    enum { BATCH = 64 };
    struct epoll_event events[BATCH];
    for (;;) {
        int count = epoll_wait(loop->epoll, events, BATCH, loop->next_timeout(loop->context));
        if (count < 0 && errno != EINTR)
            console_fail_errno("waiting for events", errno, REMEDY);
        for (int i = 0; i < count; i++) {
            struct watch *watch = events[i].data.ptr;
            if (watch->fd >= 0 && watch->registered)
                watch->ready(watch, events[i].events);
        }
        loop->batch_done(loop->context);
    }
}
