#include "script.h"

#include <ctype.h>
#include <string.h>

/*
 * How one interpreter reads its options. In a cluster of letters such as `-uW ignore` each means what it means alone.
 *
 * code: letters behind which code or a module stands, so that there is no script
 * next: letters whose value is the rest of the cluster, or the next argument if there is no rest
 * rest: letters whose value is the rest of the cluster, even if that is empty
 * long_code, long_next: the same for long options, each between spaces
 */
struct interpreter {
    const char *names;
    const char *code;
    const char *next;
    const char *rest;
    const char *long_code;
    const char *long_next;
};

static const struct interpreter INTERPRETERS[] = {
    {" node nodejs ", "epi", "rC", "", " --eval --print --interactive --test ",
     " --require --import --loader --experimental-loader --conditions --env-file --title --icu-data-dir "},
    {" python pypy ", "cm", "WX", "", " ", " --check-hash-based-pycs "},
    {" ruby ", "e", "IrCE", "FKTWx0i", " ", " --encoding --external-encoding --internal-encoding "},
    {" perl ", "eE", "I", "MmixCDlFV0", " ", " "},
    {" sh bash dash ash zsh ksh mksh ", "cs", "oO", "", " ", " --rcfile --init-file "},
};

/* Whether the word is one of a list in which each has a space on both sides. */
static bool is_listed(const char *list, const char *word, size_t length)
{
    for (const char *at = list; length > 0 && (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, word, length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

/* `python3.11` is `python`. */
static const struct interpreter *find_interpreter(const char *executable)
{
    const char *slash = strrchr(executable, '/');
    const char *name = slash == NULL ? executable : slash + 1;
    size_t length = strlen(name);
    while (length > 0 && (isdigit((unsigned char)name[length - 1]) || name[length - 1] == '.'))
        length--;
    for (size_t i = 0; i < sizeof INTERPRETERS / sizeof INTERPRETERS[0]; i++)
        if (is_listed(INTERPRETERS[i].names, name, length))
            return &INTERPRETERS[i];
    return NULL;
}

enum option { ALONE, TAKES_NEXT, IS_CODE };

static enum option read_option(const struct interpreter *interpreter, const char *argument)
{
    if (argument[1] == '-') {
        size_t length = strcspn(argument, "=");
        if (is_listed(interpreter->long_code, argument, length))
            return IS_CODE;
        bool has_value = argument[length] == '=';
        return !has_value && is_listed(interpreter->long_next, argument, length) ? TAKES_NEXT : ALONE;
    }
    for (const char *letter = argument + 1; *letter != '\0'; letter++) {
        if (strchr(interpreter->code, *letter) != NULL)
            return IS_CODE;
        if (strchr(interpreter->next, *letter) != NULL)
            return letter[1] == '\0' ? TAKES_NEXT : ALONE;
        if (strchr(interpreter->rest, *letter) != NULL)
            return ALONE;
    }
    return ALONE;
}

/* The argument behind this one, or NULL. */
static const char *next_argument(const char *argument, const char *end)
{
    const char *nul = memchr(argument, '\0', (size_t)(end - argument));
    if (nul == NULL || nul + 1 == end || memchr(nul + 1, '\0', (size_t)(end - nul - 1)) == NULL)
        return NULL;
    return nul + 1;
}

const char *script_among(const char *executable, const char *arguments, size_t length)
{
    const struct interpreter *interpreter = find_interpreter(executable);
    const char *end = arguments + length;
    if (interpreter == NULL || length == 0)
        return NULL;
    const char *argument = next_argument(arguments, end);
    while (argument != NULL && (argument[0] == '-' || argument[0] == '+')) {
        if (strcmp(argument, "-") == 0)
            return NULL;
        if (strcmp(argument, "--") == 0) {
            argument = next_argument(argument, end);
            break;
        }
        enum option option = read_option(interpreter, argument);
        if (option == IS_CODE)
            return NULL;
        argument = next_argument(argument, end);
        if (option == TAKES_NEXT && argument != NULL)
            argument = next_argument(argument, end);
    }
    return argument != NULL && argument[0] != '\0' ? argument : NULL;
}
