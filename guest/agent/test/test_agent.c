/*
 * The agent in a real sandbox of plain bwrap, with a stub for the host.
 *   test_agent <capsem-agent> <probe>
 * As root it runs twice, the second time as an ordinary user.
 */
#include "check.h"
#include "host_stub.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ORDINARY_USER = 65534, HOW_CODE = 0, HOW_SIGNAL = 1, HOW_NOT_STARTED = 2, MEGABYTE = 1048576 };

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SHELL(script) ARGV("/bin/sh", "-c", script)

static const char *const NO_ENVIRONMENT[] = {NULL};

static struct run *run(struct sandbox *sandbox, const char *const *argv)
{
    struct run *result = sandbox_exec(sandbox, 0, "", argv, NO_ENVIRONMENT);
    CHECK(sandbox_await(sandbox, result), "no end of %s %s", argv[0], argv[1] == NULL ? "" : argv[1]);
    return result;
}

static double millis_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

static void passes_output_and_exit_codes(struct sandbox *sandbox)
{
    struct run *both = run(sandbox, SHELL("echo out; echo err >&2; exit 3"));
    CHECK(both->started && both->how == HOW_CODE && both->code == 3, "code %d", both->code);
    CHECK(strcmp(text_of(&both->streams[0]), "out\n") == 0, "%s", text_of(&both->streams[0]));
    CHECK(strcmp(text_of(&both->streams[1]), "err\n") == 0, "%s", text_of(&both->streams[1]));
    CHECK(both->totals[0] == 4 && both->totals[1] == 4, "totals");

    struct run *killed = run(sandbox, SHELL("kill -SEGV $$"));
    CHECK(killed->how == HOW_SIGNAL && killed->code == SIGSEGV, "how %d code %d", killed->how, killed->code);

    struct run *by_path = run(sandbox, ARGV("id", "-u"));
    CHECK(strcmp(text_of(&by_path->streams[0]), "0\n") == 0, "%s", text_of(&by_path->streams[0]));
}

static void says_why_a_command_did_not_start(struct sandbox *sandbox)
{
    struct run *missing = run(sandbox, ARGV("no-such-command"));
    CHECK(missing->how == HOW_NOT_STARTED && missing->code == ENOENT && !missing->started, "code %d", missing->code);
    CHECK(strstr(missing->message, "no-such-command") != NULL, "%s", missing->message);

    struct run *directory = run(sandbox, ARGV("/usr"));
    CHECK(directory->how == HOW_NOT_STARTED && directory->code == EACCES, "code %d", directory->code);

    struct run *cwd = sandbox_exec(sandbox, 0, "/nowhere", ARGV("/bin/true"), NO_ENVIRONMENT);
    CHECK(sandbox_await(sandbox, cwd) && cwd->how == HOW_NOT_STARTED && cwd->code == ENOENT, "code %d", cwd->code);
    CHECK(strstr(cwd->message, "/nowhere") != NULL, "%s", cwd->message);

    struct run *empty = run(sandbox, (const char *const[]){NULL, NULL});
    CHECK(empty->how == HOW_NOT_STARTED && empty->code == EINVAL, "code %d", empty->code);
}

static void builds_the_environment(struct sandbox *sandbox)
{
    struct run *result =
        sandbox_exec(sandbox, 0, "/tmp", SHELL("echo $FROM_BOOT $OVERRIDDEN $OWN $HOME $USER $LANG; pwd; hostname"),
                     ARGV("OVERRIDDEN=exec", "OWN=own=x"));
    CHECK(sandbox_await(sandbox, result), "no end");
    CHECK(strcmp(text_of(&result->streams[0]), "boot exec own=x /root root C.UTF-8\n/tmp\nagent-test\n") == 0, "%s",
          text_of(&result->streams[0]));

    struct run *invalid = sandbox_exec(sandbox, 0, "", ARGV("/bin/true"), ARGV("=value"));
    CHECK(sandbox_await(sandbox, invalid) && invalid->how == HOW_NOT_STARTED && invalid->code == EINVAL, "code %d",
          invalid->code);
}

static void passes_standard_input(struct sandbox *sandbox)
{
    struct run *count = sandbox_exec(sandbox, RUN_STDIN, "", ARGV("wc", "-c"), NO_ENVIRONMENT);
    char *megabytes = calloc(5, MEGABYTE);
    sandbox_input(sandbox, count, megabytes, 5 * MEGABYTE);
    sandbox_input_end(sandbox, count);
    CHECK(sandbox_await(sandbox, count) && atoi(text_of(&count->streams[0])) == 5 * MEGABYTE, "%s",
          text_of(&count->streams[0]));

    struct run *deaf = sandbox_exec(sandbox, RUN_STDIN, "", SHELL("exec <&-; sleep 0.3"), NO_ENVIRONMENT);
    sandbox_input(sandbox, deaf, megabytes, MEGABYTE);
    sandbox_input_end(sandbox, deaf);
    CHECK(sandbox_await(sandbox, deaf) && deaf->code == 0, "a command that closes its input holds up the writer");
    free(megabytes);

    struct run *none = run(sandbox, ARGV("cat"));
    CHECK(none->code == 0 && none->streams[0].length == 0, "without the flag standard input is /dev/null");
}

static void keeps_outputs_apart(struct sandbox *sandbox)
{
    struct run *many[100];
    for (int i = 0; i < 100; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        many[i] = sandbox_exec(sandbox, 0, "", ARGV("/bin/echo", number), NO_ENVIRONMENT);
    }
    for (int i = 0; i < 100; i++)
        CHECK(sandbox_await(sandbox, many[i]) && atoi(text_of(&many[i]->streams[0])) == i, "%d", i);
}

/* ---- exec audit ------------------------------------------------------------------------------------------------- */

static bool saw(const struct sandbox *sandbox, const char *text)
{
    return memmem(sandbox->execed.data, sandbox->execed.length, text, strlen(text)) != NULL;
}

/* Until that many programs were told of, seen or missed. */
static void await_execs(struct sandbox *sandbox, uint64_t count)
{
    for (int i = 0; i < 3000 && sandbox->execed_count + sandbox->execs_missed < count; i++)
        sandbox_pump(sandbox, 10);
}

static void forget_execs(struct sandbox *sandbox)
{
    sandbox_pump(sandbox, 200);
    sandbox->execed.length = sandbox->execed_count = sandbox->execs_missed = 0;
}

static void tells_of_every_program_that_starts(struct sandbox *sandbox)
{
    forget_execs(sandbox);
    run(sandbox, SHELL("cd /tmp; PATH=/nowhere:/usr/bin; echo; env A=b true 'a b' \"$(printf '\\377')\"; no-such-program; :"));
    await_execs(sandbox, 4);
    CHECK(sandbox->execed_count == 3, "%u programs", sandbox->execed_count);
    CHECK(saw(sandbox, "/bin/sh"), "the command itself");
    CHECK(saw(sandbox, "/usr/bin/env") && saw(sandbox, "/usr/bin/true") && saw(sandbox, "a b"), "what it started");
    CHECK(saw(sandbox, "/tmp"), "where");
    CHECK(!saw(sandbox, "/nowhere/env") && !saw(sandbox, "/no-such-program"), "a program that is not there");

    forget_execs(sandbox);
    run(sandbox, ARGV("/run/capsem/probe", "filter"));
    run(sandbox, ARGV("/run/capsem/probe", "undumpable"));
    await_execs(sandbox, 4);
    CHECK(sandbox->execed_count == 4, "%u programs", sandbox->execed_count);
    CHECK(saw(sandbox, "filter"), "a filter of the guest's own");
}

static void counts_what_is_too_much(struct sandbox *sandbox)
{
    forget_execs(sandbox);
    struct run *many = run(sandbox, SHELL("i=0; while [ $i -lt 4000 ]; do /bin/true; i=$((i+1)); done"));
    CHECK(many->code == 0, "code %d", many->code);
    await_execs(sandbox, 4001);
    CHECK(sandbox->execed_count + sandbox->execs_missed == 4001, "%u seen, %llu missed", sandbox->execed_count,
          (unsigned long long)sandbox->execs_missed);
}

/* ---- flow control ----------------------------------------------------------------------------------------------- */

static void carries_much_output(struct sandbox *sandbox)
{
    struct run *much = run(sandbox, SHELL("head -c 52428800 /dev/zero"));
    CHECK(much->totals[0] == 50 * MEGABYTE && much->streams[0].length == 50 * MEGABYTE, "%zu",
          much->streams[0].length);
}

static void stops_without_credit_and_holds_up_nobody(struct sandbox *sandbox)
{
    struct run *slow = sandbox_exec(sandbox, 0, "", SHELL("head -c 1000000 /dev/zero; echo end >&2"), NO_ENVIRONMENT);
    slow->withholds_credit = true;
    for (int i = 0; i < 3000 && slow->streams[0].length < 262144; i++)
        sandbox_pump(sandbox, 10);
    sandbox_pump(sandbox, 300);
    CHECK(slow->streams[0].length == 262144, "%zu bytes without credit", slow->streams[0].length);

    struct run *other = run(sandbox, ARGV("/bin/echo", "hello"));
    CHECK(strcmp(text_of(&other->streams[0]), "hello\n") == 0, "another exec is held up");

    slow->withholds_credit = false;
    sandbox_grant(sandbox, slow);
    CHECK(sandbox_await(sandbox, slow) && slow->streams[0].length == 1000000, "%zu", slow->streams[0].length);
}

/* The command ends while its last 64 KiB still wait in the pipe for credit; the linger time must not cut them off. */
static void loses_no_output_to_a_slow_host(struct sandbox *sandbox)
{
    struct run *slow = sandbox_exec(sandbox, 0, "", SHELL("(sleep 5)& head -c 300000 /dev/zero"), NO_ENVIRONMENT);
    slow->withholds_credit = true;
    sandbox_pump(sandbox, 600);
    CHECK(!slow->exited, "ended before its output was sent");
    slow->withholds_credit = false;
    sandbox_grant(sandbox, slow);
    CHECK(sandbox_await(sandbox, slow) && slow->streams[0].length == 300000, "%zu", slow->streams[0].length);
}

static void does_not_wait_for_background_children(struct sandbox *sandbox)
{
    double before = millis_now();
    struct run *background = run(sandbox, SHELL("sleep 15 & echo done"));
    double took = millis_now() - before;
    CHECK(took < 10000 && strcmp(text_of(&background->streams[0]), "done\n") == 0, "after %.0f ms", took);
}

/* ---- signals ---------------------------------------------------------------------------------------------------- */

/* Under this name, so that no other test's sleepers are counted. */
#define NAPPER "cp /bin/sleep /tmp/napper; "

/* A killed process is seen until it is reaped: looks for up to 5 s. */
static bool any_napper(struct sandbox *sandbox)
{
    struct run *look = run(sandbox, SHELL("for i in $(seq 50); do cat /proc/[0-9]*/comm | grep -q -x napper || exit 0; "
                                          "sleep 0.1; done; exit 1"));
    return look->code != 0;
}

/* Says so only when the other member runs: between fork and exec it is a shell still, which catches the signal itself. */
static void signals_the_process_group(struct sandbox *sandbox)
{
    struct run *trap = sandbox_exec(sandbox, 0, "",
                                    SHELL(NAPPER "trap 'echo got; exit 7' TERM; /tmp/napper 90 & "
                                                 "until grep -q -x napper /proc/$!/comm; do :; done; echo up; wait"),
                                    NO_ENVIRONMENT);
    for (int i = 0; i < 3000 && trap->streams[0].length == 0; i++)
        sandbox_pump(sandbox, 10);
    sandbox_signal(sandbox, trap, SIGTERM);
    CHECK(sandbox_await(sandbox, trap) && trap->code == 7, "code %d", trap->code);
    CHECK(!any_napper(sandbox), "the group's other member lives");
}

static void kills_everything_of_an_exec(struct sandbox *sandbox)
{
    struct run *tree = sandbox_exec(sandbox, 0, "", SHELL(NAPPER "setsid sh -c 'setsid /tmp/napper 90 & /tmp/napper 90 & wait' & "
                                                          "trap '' TERM; echo up; while :; do /tmp/napper 90; done"),
                                    NO_ENVIRONMENT);
    for (int i = 0; i < 3000 && tree->streams[0].length == 0; i++)
        sandbox_pump(sandbox, 10);
    sandbox_pump(sandbox, 200);
    sandbox_signal(sandbox, tree, SIGKILL);
    CHECK(sandbox_await(sandbox, tree) && tree->how == HOW_SIGNAL && tree->code == SIGKILL, "how %d code %d",
          tree->how, tree->code);
    CHECK(!any_napper(sandbox), "a descendant lives");
}

static void reaps_orphans(struct sandbox *sandbox)
{
    run(sandbox, SHELL("for i in 1 2 3 4 5; do (setsid sleep 0.05 &) ; done"));
    sandbox_pump(sandbox, 400);
    /* One that has just ended may be seen once. */
    struct run *zombies = run(sandbox, SHELL("for i in $(seq 100); do cat /proc/[0-9]*/stat | grep -q ') Z ' || exit 0; "
                                             "sleep 0.1; done; exit 1"));
    CHECK(zombies->code == 0, "zombies stay");
}

/* ---- terminals -------------------------------------------------------------------------------------------------- */

static void gives_a_terminal(struct sandbox *sandbox)
{
    struct run *terminal =
        sandbox_exec(sandbox, RUN_PTY | RUN_STDIN, "", SHELL("tty; echo $TERM; stty size; read line; stty size; echo "
                                                             "got $line; cat; echo over; echo err >&2"),
                     NO_ENVIRONMENT);
    for (int i = 0; i < 3000 && strstr(text_of(&terminal->streams[0]), "24 80") == NULL; i++)
        sandbox_pump(sandbox, 10);
    sandbox_resize(sandbox, terminal, 50, 132);
    sandbox_input(sandbox, terminal, "hello\nmore", 10);
    sandbox_input_end(sandbox, terminal);
    CHECK(sandbox_await(sandbox, terminal) && terminal->code == 0, "code %d", terminal->code);
    const char *text = text_of(&terminal->streams[0]);
    CHECK(strstr(text, "/dev/pts/") != NULL && strstr(text, "xterm-256color") != NULL, "%s", text);
    CHECK(strstr(text, "50 132") != NULL && strstr(text, "got hello") != NULL, "%s", text);
    CHECK(strstr(text, "over") != NULL && strstr(text, "err") != NULL, "%s", text);
    CHECK(terminal->streams[1].length == 0, "a terminal has one stream");

    /* No shell, which may lose a signal between two commands. Once by the terminal's echo, once by cat, which then runs. */
    static const char TWICE[] = "up\r\nup\r\n";
    struct run *interrupted = sandbox_exec(sandbox, RUN_PTY | RUN_STDIN, "", ARGV("/bin/cat"), NO_ENVIRONMENT);
    sandbox_input(sandbox, interrupted, "up\n", 3);
    for (int i = 0; i < 3000 && interrupted->streams[0].length < sizeof TWICE - 1; i++)
        sandbox_pump(sandbox, 10);
    CHECK(strcmp(text_of(&interrupted->streams[0]), TWICE) == 0, "%s", text_of(&interrupted->streams[0]));
    sandbox_input(sandbox, interrupted, "\x03", 1);
    CHECK(sandbox_await(sandbox, interrupted) && interrupted->how == HOW_SIGNAL && interrupted->code == SIGINT,
          "how %d code %d", interrupted->how, interrupted->code);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static struct run *file_operation(struct sandbox *sandbox, const char *const *argv, const char *input)
{
    struct run *operation = sandbox_exec(sandbox, RUN_INTERNAL | (input != NULL ? RUN_STDIN : 0), "", argv, NO_ENVIRONMENT);
    if (input != NULL) {
        sandbox_input(sandbox, operation, input, strlen(input));
        sandbox_input_end(sandbox, operation);
    }
    CHECK(sandbox_await(sandbox, operation), "no end of %s", argv[0]);
    return operation;
}

static void check_file(struct sandbox *sandbox, const char *const *argv, const char *input, int code, const char *output)
{
    struct run *operation = file_operation(sandbox, argv, input);
    CHECK(operation->how == HOW_CODE && operation->code == code, "%s %s: code %d, %s", argv[0], argv[1],
          operation->code, text_of(&operation->streams[1]));
    CHECK(output == NULL || strcmp(text_of(&operation->streams[0]), output) == 0, "%s %s: %s", argv[0], argv[1],
          text_of(&operation->streams[0]));
}

static void reads_and_writes_files(struct sandbox *sandbox)
{
    check_file(sandbox, ARGV("file-write", "deep/er/note.txt", "640"), "content", 0, "");
    check_file(sandbox, ARGV("file-read", "/root/deep/er/note.txt", "7"), NULL, 0, "content");
    check_file(sandbox, ARGV("file-read", "deep/er/note.txt", "6"), NULL, 4, "");
    check_file(sandbox, ARGV("file-write", "deep/er/note.txt", "600"), "new", 0, "");
    check_file(sandbox, ARGV("file-read", "deep/er/note.txt", "100"), NULL, 0, "new");
    check_file(sandbox, ARGV("file-read", "deep/none", "1"), NULL, 2, "");
    check_file(sandbox, ARGV("file-read", "deep", "1"), NULL, 3, "");
    check_file(sandbox, ARGV("file-unknown", "deep", "1"), NULL, 5, "");
    check_file(sandbox, ARGV("file-write", "deep", "644"), "x", 3, "");
    check_file(sandbox, ARGV("file-write", "deep/er/note.txt/below", "644"), "x", 3, "");
    check_file(sandbox, ARGV("file-write", "x", "9"), "x", 5, "");

    struct run *status = file_operation(sandbox, ARGV("file-stat", "deep/er/note.txt"), NULL);
    const char *entry = text_of(&status->streams[0]);
    CHECK(strncmp(entry, "f 3 ", 4) == 0 && strstr(entry, " 600 deep/er/note.txt") != NULL, "%s", entry);
    CHECK(status->streams[0].length > 0 && status->streams[0].data[status->streams[0].length - 1] == 0, "NUL");

    struct run *list = file_operation(sandbox, ARGV("file-list", "deep", "2"), NULL);
    const char *first = text_of(&list->streams[0]);
    const char *second = first + strlen(first) + 1;
    CHECK(first[0] == 'd' && strstr(first, " deep/er") != NULL, "%s", first);
    CHECK(second[0] == 'f' && strstr(second, " deep/er/note.txt") != NULL, "%s", second);
    struct run *shallow = file_operation(sandbox, ARGV("file-list", "", "1"), NULL);
    CHECK(strstr(text_of(&shallow->streams[0]), " deep") != NULL &&
              strlen(text_of(&shallow->streams[0])) + 1 == shallow->streams[0].length,
          "one entry at depth 1");
    check_file(sandbox, ARGV("file-list", "deep", "0"), NULL, 5, "");
}

static void refuses_paths_that_leave_the_workspace(struct sandbox *sandbox)
{
    run(sandbox, SHELL("cd /root && echo inside > real && ln -s /etc/passwd link && ln -s /etc out && ln -s real near && "
                       "ln -s deep into && ln -s /proc/self/root magic && mkfifo fifo"));
    check_file(sandbox, ARGV("file-read", "link", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "near", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "out/passwd", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "magic/etc/passwd", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "../etc/passwd", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "/etc/passwd", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "/rootless", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "fifo", "10000"), NULL, 3, "");
    check_file(sandbox, ARGV("file-read", "into/er/note.txt", "10000"), NULL, 0, "new");
    check_file(sandbox, ARGV("file-write", "link", "644"), "x", 3, "");
    check_file(sandbox, ARGV("file-write", "near", "644"), "x", 3, "");
    check_file(sandbox, ARGV("file-write", "out/created", "644"), "x", 3, "");
    check_file(sandbox, ARGV("file-write", "../created", "644"), "x", 3, "");
    check_file(sandbox, ARGV("file-write", "a/../../created", "644"), "x", 3, "");
    check_file(sandbox, ARGV("file-list", "out", "1"), NULL, 3, "");
    struct run *link = file_operation(sandbox, ARGV("file-stat", "link"), NULL);
    CHECK(text_of(&link->streams[0])[0] == 'l', "%s", text_of(&link->streams[0]));
    struct run *left = run(sandbox, SHELL("cat real; ls -a | grep capsem-write"));
    CHECK(strcmp(text_of(&left->streams[0]), "inside\n") == 0, "%s", text_of(&left->streams[0]));
}

/* ---- network ---------------------------------------------------------------------------------------------------- */

static bool starts_with(const struct bytes *bytes, const char *prefix, size_t length)
{
    return bytes->length >= length && memcmp(bytes->data, prefix, length) == 0;
}

static bool contains(const struct bytes *bytes, const char *part, size_t length)
{
    return memmem(bytes->data, bytes->length, part, length) != NULL;
}

/* The shell holds the connection itself: its script is who it is. */
static void tells_which_script_connects(struct sandbox *sandbox)
{
    static const char SCRIPT[] = "\n\0CAPSEM_SCRIPT:/tmp/called.sh\n\0CAPSEM_DST:192.0.2.1:80\n";
    static const char ANY_SCRIPT[] = "\0CAPSEM_SCRIPT:";
    static const char CODE[] = "exec 3<>/dev/tcp/192.0.2.1/80; cat <&3; true";
    struct run *script = run(sandbox, ARGV("bash", "-c", "cd /tmp; echo \"$0\" > called.sh; exec bash -e ./called.sh",
                                           CODE));
    CHECK(script->how == HOW_CODE, "how %d", script->how);
    CHECK(contains(&sandbox->last_stream, SCRIPT, sizeof SCRIPT - 1), "%.*s", (int)sandbox->last_stream.length,
          (const char *)sandbox->last_stream.data + 1);
    run(sandbox, ARGV("bash", "-c", CODE));
    CHECK(!contains(&sandbox->last_stream, ANY_SCRIPT, sizeof ANY_SCRIPT - 1), "code is no script");
}

static void redirects_tcp(struct sandbox *sandbox)
{
    static const char PREFACE[] = "\0CAPSEM_META:curl\n\0CAPSEM_EXE:/usr/bin/curl\n\0CAPSEM_DST:192.0.2.1:80\n";
    sandbox->stream_answer = ANSWER_REFUSE;
    double before = millis_now();
    struct run *refused = run(sandbox, ARGV("curl", "-sS", "--max-time", "20", "http://192.0.2.1/"));
    /* The reset may come before or after curl sees its connection: "couldn't connect" or "reset by peer". */
    CHECK(refused->code == 7 || refused->code == 56, "curl %d: %s", refused->code, text_of(&refused->streams[1]));
    CHECK(millis_now() - before < 10000, "a refusal takes %.0f ms", millis_now() - before);
    CHECK(starts_with(&sandbox->last_stream, PREFACE, sizeof PREFACE - 1), "preface");

    tells_which_script_connects(sandbox);
    unsigned before_count = sandbox->stream_count;
    run(sandbox, ARGV("curl", "-sS", "--max-time", "5", "http://127.0.0.1:1/"));
    run(sandbox, ARGV("curl", "-sS", "--max-time", "5", "http://10.0.2.15:1/"));
    CHECK(sandbox->stream_count == before_count, "loopback traffic reached the host");
}

static void relays_both_ways_with_half_close(struct sandbox *sandbox)
{
    static const char SCRIPT[] = "import socket,sys\n"
                                 "s=socket.create_connection(('192.0.2.9',4444))\n"
                                 "data=b'x'*3000000\n"
                                 "s.sendall(data); s.shutdown(socket.SHUT_WR)\n"
                                 "back=b''\n"
                                 "while True:\n"
                                 "  part=s.recv(65536)\n"
                                 "  if not part: break\n"
                                 "  back+=part\n"
                                 "print(back==data)\n";
    if (run(sandbox, ARGV("/usr/bin/python3", "-c", "print(1)"))->code != 0) {
        printf("SKIPPED relay with half-close: no /usr/bin/python3\n");
        return;
    }
    sandbox->stream_answer = ANSWER_ECHO;
    struct run *echo = run(sandbox, ARGV("/usr/bin/python3", "-c", SCRIPT));
    CHECK(strcmp(text_of(&echo->streams[0]), "True\n") == 0, "%s", text_of(&echo->streams[1]));
    sandbox->stream_answer = ANSWER_REFUSE;
}

static void redirects_dns(struct sandbox *sandbox)
{
    static const char PREFACE[] = "\0CAPSEM_META:getent\n\0CAPSEM_EXE:/usr/bin/getent\n\0CAPSEM_DST:10.0.2.3:53/udp\n";
    sandbox->dns_answer = ANSWER_REFUSE;
    double before = millis_now();
    struct run *refused = run(sandbox, ARGV("getent", "hosts", "example.com"));
    CHECK(refused->code == 2 && refused->streams[0].length == 0, "code %d", refused->code);
    CHECK(millis_now() - before < 4000, "a refused name takes %.0f ms", millis_now() - before);
    CHECK(sandbox->dns_count > 0 && starts_with(&sandbox->last_dns, PREFACE, sizeof PREFACE - 1), "preface");

    sandbox->dns_answer = ANSWER_DNS;
    struct run *answered = run(sandbox, ARGV("getent", "ahostsv4", "example.com"));
    CHECK(answered->code == 0 && strstr(text_of(&answered->streams[0]), "192.0.2.77") != NULL, "%s",
          text_of(&answered->streams[0]));
    struct run *over_tcp = sandbox_exec(sandbox, 0, "", ARGV("getent", "ahostsv4", "tcp.example.com"),
                                        ARGV("RES_OPTIONS=use-vc"));
    CHECK(sandbox_await(sandbox, over_tcp) && strstr(text_of(&over_tcp->streams[0]), "192.0.2.77") != NULL,
          "DNS over TCP: %s", text_of(&over_tcp->streams[0]));
}

static void tells_of_refused_packets(struct sandbox *sandbox)
{
    static const char LINE[] = "\0CAPSEM_REFUSED:udp 203.0.113.9:443 1\n";
    static const char LINE6[] = "\0CAPSEM_REFUSED:tcp [2001:db8::9]:443 1\n";
    unsigned before = sandbox->stream_count;
    struct run *twice = run(sandbox, ARGV("bash", "-c",
                                          "exec 3<>/dev/udp/203.0.113.9/443; echo secret >&3; echo secret >&3; "
                                          "sleep 0.3"));
    CHECK(strstr(text_of(&twice->streams[1]), "not permitted") != NULL, "%s", text_of(&twice->streams[1]));
    for (int i = 0; i < 3000 && sandbox->stream_count == before; i++)
        sandbox_pump(sandbox, 10);
    CHECK(sandbox->stream_count == before + 1, "%u reports", sandbox->stream_count - before);
    CHECK(contains(&sandbox->last_stream, LINE, sizeof LINE - 1), "%.*s", (int)sandbox->last_stream.length,
          (const char *)sandbox->last_stream.data + 1);
    CHECK(!contains(&sandbox->last_stream, "secret", 6), "content is told");

    struct run *six = run(sandbox, ARGV("bash", "-c", "exec 3<>/dev/tcp/2001:db8::9/443; true"));
    CHECK(six->code != 0 || text_of(&six->streams[1])[0] != '\0', "IPv6 connects");
    for (int i = 0; i < 3000 && sandbox->stream_count < before + 2; i++)
        sandbox_pump(sandbox, 10);
    CHECK(contains(&sandbox->last_stream, LINE6, sizeof LINE6 - 1), "%.*s", (int)sandbox->last_stream.length,
          (const char *)sandbox->last_stream.data + 1);
}

/* The guest may move what the sockets lie in; it moves no record out of the way. */
static void tells_of_refused_packets_wherever_the_sockets_are(struct sandbox *sandbox)
{
    static const char LINE[] = "\0CAPSEM_REFUSED:udp 203.0.113.10:443 1\n";
    unsigned before = sandbox->stream_count;
    struct run *moved = run(sandbox, SHELL("mv /run/capsem /run/moved && mkdir -p /run/capsem/vsock"));
    CHECK(moved->how == HOW_CODE && moved->code == 0, "%s", text_of(&moved->streams[1]));
    run(sandbox, ARGV("bash", "-c", "exec 3<>/dev/udp/203.0.113.10/443; echo secret >&3; sleep 0.3"));
    for (int i = 0; i < 3000 && sandbox->stream_count == before; i++)
        sandbox_pump(sandbox, 10);
    CHECK(contains(&sandbox->last_stream, LINE, sizeof LINE - 1), "no report after the directory was moved");
    struct run *back = run(sandbox, SHELL("rmdir /run/capsem/vsock /run/capsem && mv /run/moved /run/capsem"));
    CHECK(back->how == HOW_CODE && back->code == 0, "%s", text_of(&back->streams[1]));
}

/* ---- confinement ------------------------------------------------------------------------------------------------ */

static void denies_what_guests_must_not_do(struct sandbox *sandbox)
{
    static const char PREFACE[] = "\0CAPSEM_META:probe\n\0CAPSEM_EXE:/run/capsem/probe\n\0CAPSEM_DST:0.0.0.0:53/udp\n";
    sandbox->dns_answer = ANSWER_DNS;
    struct run *probe = run(sandbox, ARGV("/run/capsem/probe"));
    CHECK(starts_with(&sandbox->last_dns, PREFACE, sizeof PREFACE - 1), "preface of an unconnected query");
    CHECK(probe->how == HOW_CODE && probe->code == 0, "how %d code %d\n%s", probe->how, probe->code,
          text_of(&probe->streams[0]));
    sandbox_ping(sandbox, 77);
    for (int i = 0; i < 3000 && sandbox->pongs == 0; i++)
        sandbox_pump(sandbox, 10);
    CHECK(sandbox->pongs == 1, "the agent answers after all the signals");
}

static void applies_limits(struct sandbox *sandbox)
{
    struct run *limits = run(sandbox, SHELL("ulimit -d; ulimit -n; ulimit -c; grep 'Max processes' /proc/self/limits"));
    CHECK(strncmp(text_of(&limits->streams[0]), "1048576\n500\n0\n", 14) == 0, "%s", text_of(&limits->streams[0]));
    CHECK(strstr(text_of(&limits->streams[0]), " 64 ") != NULL, "%s", text_of(&limits->streams[0]));
}

static void bounds_the_number_of_execs(struct sandbox *sandbox)
{
    enum { EXECS_MAX = 1024 };
    static struct run *sleepers[EXECS_MAX];
    for (int i = 0; i < EXECS_MAX; i++) {
        sleepers[i] = sandbox_exec(sandbox, 0, "", ARGV("/bin/sleep", "600"), NO_ENVIRONMENT);
        sandbox_pump(sandbox, 0);
    }
    struct run *above = run(sandbox, ARGV("/bin/true"));
    CHECK(above->how == HOW_NOT_STARTED && above->code == EAGAIN, "how %d code %d", above->how, above->code);
    for (int i = 0; i < EXECS_MAX; i++)
        sandbox_signal(sandbox, sleepers[i], SIGTERM);
    for (int i = 0; i < EXECS_MAX; i++)
        CHECK(sandbox_await(sandbox, sleepers[i]) && sleepers[i]->code == SIGTERM, "exec %d", i);
    CHECK(run(sandbox, ARGV("/bin/true"))->code == 0, "room again");
}

/* ---- latency ---------------------------------------------------------------------------------------------------- */

static int compare_doubles(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static void print_latency(struct sandbox *sandbox)
{
    enum { ROUNDS = 1000 };
    static double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double before = millis_now();
        run(sandbox, ARGV("/bin/true"));
        took[i] = millis_now() - before;
    }
    qsort(took, ROUNDS, sizeof *took, compare_doubles);
    printf("exec /bin/true x%d: p50 %.2f ms, p99 %.2f ms\n", ROUNDS, took[ROUNDS / 2], took[ROUNDS * 99 / 100]);
}

/* ---- ends ------------------------------------------------------------------------------------------------------- */

static void shuts_down(struct sandbox *sandbox)
{
    struct run *obedient = sandbox_exec(sandbox, 0, "", SHELL("trap 'echo bye; exit 4' TERM; echo up; sleep 100 & wait"),
                                        NO_ENVIRONMENT);
    struct run *stubborn = sandbox_exec(sandbox, 0, "", SHELL("trap '' TERM; echo up; while :; do sleep 100; done"),
                                        NO_ENVIRONMENT);
    for (int i = 0; i < 3000 && (obedient->streams[0].length == 0 || stubborn->streams[0].length == 0); i++)
        sandbox_pump(sandbox, 10);
    sandbox_shutdown(sandbox, 500);
    CHECK(sandbox_await_end(sandbox), "no end after Shutdown");
    CHECK(WIFEXITED(sandbox->exit_status) && WEXITSTATUS(sandbox->exit_status) == 0, "status %x", sandbox->exit_status);
    CHECK(obedient->exited && obedient->code == 4 && strstr(text_of(&obedient->streams[0]), "bye") != NULL, "SIGTERM");
    CHECK(stubborn->exited && stubborn->how == HOW_SIGNAL && stubborn->code == SIGKILL, "SIGKILL after the grace");
}

static void ends_on_malformed_frames(const char *agent, const char *probe)
{
    static const uint8_t TOO_LONG[] = {0x00, 0x20, 0x00, 0x01};
    static const uint8_t GUEST_TYPE[] = {0, 0, 0, 5, 0x85, 0, 0, 0, 1};
    static const uint8_t WRONG_PORT[] = {0, 0, 0, 5, 0x11, 0, 0, 0, 1};
    const struct {
        const uint8_t *bytes;
        size_t length;
    } CASES[] = {{TOO_LONG, sizeof TOO_LONG}, {GUEST_TYPE, sizeof GUEST_TYPE}, {WRONG_PORT, sizeof WRONG_PORT}};
    for (int i = 0; i < 3; i++) {
        static struct sandbox sandbox;
        CHECK(sandbox_start(&sandbox, agent, probe, NULL), "start");
        sandbox_raw(&sandbox, 0, CASES[i].bytes, CASES[i].length);
        CHECK(sandbox_await_end(&sandbox) && WIFEXITED(sandbox.exit_status) && WEXITSTATUS(sandbox.exit_status) == 1,
              "case %d: status %x", i, sandbox.exit_status);
        sandbox_stop(&sandbox);
    }
}

static void ends_with_any_connection(const char *agent, const char *probe)
{
    for (int i = 0; i < 3; i++) {
        static struct sandbox sandbox;
        CHECK(sandbox_start(&sandbox, agent, probe, NULL), "start");
        close(sandbox.channels[i]);
        sandbox.channels[i] = -1;
        CHECK(sandbox_await_end(&sandbox) && WEXITSTATUS(sandbox.exit_status) == 1, "channel %d", i);
        sandbox_stop(&sandbox);
    }
}

static int run_all(const char *agent, const char *probe)
{
    static struct sandbox sandbox;
    if (!sandbox_start(&sandbox, agent, probe, NULL)) {
        sandbox_stop(&sandbox);
        return 1;
    }
    printf("boot stages (us): %s\n", sandbox.stages);
    passes_output_and_exit_codes(&sandbox);
    says_why_a_command_did_not_start(&sandbox);
    builds_the_environment(&sandbox);
    passes_standard_input(&sandbox);
    keeps_outputs_apart(&sandbox);
    carries_much_output(&sandbox);
    stops_without_credit_and_holds_up_nobody(&sandbox);
    loses_no_output_to_a_slow_host(&sandbox);
    does_not_wait_for_background_children(&sandbox);
    signals_the_process_group(&sandbox);
    kills_everything_of_an_exec(&sandbox);
    reaps_orphans(&sandbox);
    gives_a_terminal(&sandbox);
    reads_and_writes_files(&sandbox);
    refuses_paths_that_leave_the_workspace(&sandbox);
    redirects_tcp(&sandbox);
    relays_both_ways_with_half_close(&sandbox);
    redirects_dns(&sandbox);
    tells_of_refused_packets(&sandbox);
    tells_of_refused_packets_wherever_the_sockets_are(&sandbox);
    denies_what_guests_must_not_do(&sandbox);
    print_latency(&sandbox);
    tells_of_every_program_that_starts(&sandbox);
    counts_what_is_too_much(&sandbox);
    bounds_the_number_of_execs(&sandbox);
    shuts_down(&sandbox);
    sandbox_stop(&sandbox);

    static const char *const LIMITS[] = {"--rlimit-data", "1073741824", "--rlimit-nproc", "64", "--rlimit-nofile",
                                         "500",           NULL};
    if (sandbox_start(&sandbox, agent, probe, LIMITS))
        applies_limits(&sandbox);
    sandbox_stop(&sandbox);
    ends_on_malformed_frames(agent, probe);
    ends_with_any_connection(agent, probe);
    return failures > 0;
}

static int run_as_ordinary_user(const char *agent, const char *probe)
{
    pid_t child = fork();
    if (child == 0) {
        if (setgroups(0, NULL) < 0 || setgid(ORDINARY_USER) < 0 || setuid(ORDINARY_USER) < 0) {
            perror("becoming an ordinary user");
            _exit(1);
        }
        failures = checks = 0;
        int code = run_all(agent, probe);
        printf("as uid %d: %d checks, %d wrong\n", ORDINARY_USER, checks, failures);
        fflush(stdout);
        _exit(code);
    }
    int status;
    waitpid(child, &status, 0);
    return status != 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: test_agent <capsem-agent> <probe>\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    int code = run_all(argv[1], argv[2]);
    printf("as uid %d: %d checks, %d wrong\n", (int)getuid(), checks, failures);
    if (getuid() == 0)
        code |= run_as_ordinary_user(argv[1], argv[2]);
    return code;
}
