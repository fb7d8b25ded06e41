#include "privileges.h"

#include "console.h"
#include "seccomp.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char REMEDY[] = "The sandbox must be started by capsem-launch, which hands in CAP_SETPCAP";

void privileges_close_inherited(void)
{
    if (close_range(3, ~0U, 0) < 0)
        console_fail_errno("closing inherited descriptors", errno, "The host kernel must be 5.9 or later");
}

static void empty_bounding_set(void)
{
    for (unsigned long capability = 0; capability <= 63; capability++) {
        int held = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (held < 0)
            return; /* past the kernel's last capability */
        if (held > 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
            console_fail_errno("dropping the capability bounding set", errno, REMEDY);
    }
}

/* Uid 0 must mean nothing to the kernel: no capabilities by exec, by setuid or by the ambient set, for good. */
static void lock_securebits(void)
{
    unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
                         SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
        console_fail_errno("locking the secure bits", errno, REMEDY);
}

static void empty_capability_sets(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    if (syscall(SYS_capset, &header, none) < 0)
        console_fail_errno("dropping capabilities", errno, REMEDY);
}

/* Against a kernel or a patch that answers 0 and keeps something. */
static void verify_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, held) < 0)
        console_fail_errno("reading capabilities back", errno, REMEDY);
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        if ((held[i].effective | held[i].permitted | held[i].inheritable) != 0)
            console_fail("capabilities are left after dropping them", REMEDY);
    for (unsigned long capability = 0; capability <= 63; capability++)
        if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) > 0)
            console_fail("the capability bounding set is not empty", REMEDY);
}

static void verify_locked(void)
{
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
        console_fail("no_new_privs or undumpable did not hold", REMEDY);
}

void privileges_drop_capabilities(void)
{
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        console_fail_errno("clearing ambient capabilities", errno, REMEDY);
    empty_bounding_set();
    lock_securebits();
    empty_capability_sets();
    verify_capabilities();
}

void privileges_drop(void)
{
    /* The guest shares our uid: only undumpable keeps /proc/1/{environ,fd,root,mem,maps} and ptrace from it. */
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        console_fail_errno("becoming undumpable", errno, REMEDY);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        console_fail_errno("setting no_new_privs", errno, REMEDY);
    privileges_drop_capabilities();
    seccomp_install(false);
    verify_locked();
}
