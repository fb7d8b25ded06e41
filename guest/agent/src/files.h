/* The internal file operations of the protocol, run in a forked child that has no more rights than the guest. */
#ifndef CAPSEM_FILES_H
#define CAPSEM_FILES_H

enum files_exit {
    FILES_DONE = 0,
    FILES_NOT_FOUND = 2,
    FILES_REFUSED = 3,
    FILES_TOO_LARGE = 4,
    FILES_ERROR = 5,
};

/* Requires: argv[0] is not NULL. Answers the exit code. */
int files_run(char **argv);

#endif
