#include "loop.h"

#include "console.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

static const char REMEDY[] = "The host may be out of memory or descriptors";

void loop_init(struct loop *loop)
{
    loop->polled = NULL;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll < 0)
        console_fail_errno("creating an epoll descriptor", errno, REMEDY);
}

static void stop_polling(struct loop *loop, struct watch *watch)
{
    struct watch **place = &loop->polled;
    while (*place != NULL && *place != watch)
        place = &(*place)->next_polled;
    if (*place == watch)
        *place = watch->next_polled;
    watch->polled = false;
}

/*
 * What the kernel counts for epoll it counts for all sandboxes of a user, so another guest can use it up. Then poll will
 * do: we have few descriptors.
 */
static void control(struct loop *loop, struct watch *watch, int operation, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};
    if (watch->polled && operation == EPOLL_CTL_DEL) {
        stop_polling(loop, watch);
    } else if (!watch->polled && epoll_ctl(loop->epoll, operation, watch->fd, &event) < 0) {
        if (operation != EPOLL_CTL_ADD || (errno != ENOSPC && errno != ENOMEM))
            console_fail_errno("changing an epoll registration", errno, REMEDY);
        watch->polled = true;
        watch->next_polled = loop->polled;
        loop->polled = watch;
    }
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

enum { BATCH = 64, POLLED_MAX = 1024 };

static void tell(struct watch *watch, uint32_t events)
{
    if (watch->fd >= 0 && watch->registered)
        watch->ready(watch, events);
}

/* Those that epoll has room for again leave the list. */
static void offer_to_epoll(struct loop *loop)
{
    for (struct watch *watch = loop->polled, *next; watch != NULL; watch = next) {
        struct epoll_event event = {.events = watch->events, .data.ptr = watch};
        next = watch->next_polled;
        if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, watch->fd, &event) < 0)
            return;
        stop_polling(loop, watch);
    }
}

/* Waits for epoll and for what is not in it, and tells the latter. */
static void poll_all(struct loop *loop, int timeout)
{
    static _Thread_local struct pollfd ends[POLLED_MAX + 1];
    static _Thread_local struct watch *watches[POLLED_MAX + 1];
    nfds_t count = 1;
    ends[0] = (struct pollfd){.fd = loop->epoll, .events = POLLIN};
    for (struct watch *watch = loop->polled; watch != NULL && count <= POLLED_MAX; watch = watch->next_polled) {
        watches[count] = watch;
        ends[count++] = (struct pollfd){.fd = watch->fd, .events = (short)watch->events};
    }
    if (poll(ends, count, timeout) < 0 && errno != EINTR)
        console_fail_errno("waiting for events", errno, REMEDY);
    for (nfds_t i = 1; i < count; i++)
        if (ends[i].revents != 0 && watches[i]->fd == ends[i].fd && watches[i]->polled)
            tell(watches[i], (uint32_t)(unsigned short)ends[i].revents);
}

void loop_turn(struct loop *loop)
{
    struct epoll_event events[BATCH];
    int timeout = loop->next_timeout(loop->context);
    offer_to_epoll(loop);
    if (loop->polled != NULL) {
        poll_all(loop, timeout);
        timeout = 0;
    }
    int count = epoll_wait(loop->epoll, events, BATCH, timeout);
    if (count < 0 && errno != EINTR)
        console_fail_errno("waiting for events", errno, REMEDY);
    for (int i = 0; i < count; i++)
        tell(events[i].data.ptr, events[i].events);
    loop->batch_done(loop->context);
}

void loop_run(struct loop *loop)
{
    for (;;)
        loop_turn(loop);
}
