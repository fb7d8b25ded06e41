#include "mcp_message.h"

#include <string.h>

struct cursor {
    const char *at;
    const char *end;
};

static void skip_spaces(struct cursor *cursor)
{
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) != NULL && *cursor->at != '\0')
        cursor->at++;
}

static bool next_is(const struct cursor *cursor, char wanted)
{
    return cursor->at < cursor->end && *cursor->at == wanted;
}

/* Past the closing quote; false when there is none. Requires: the cursor stands on the opening one. */
static bool skip_string(struct cursor *cursor)
{
    for (cursor->at++; cursor->at < cursor->end; cursor->at++) {
        if (*cursor->at == '\\') {
            cursor->at++;
        } else if (*cursor->at == '"') {
            cursor->at++;
            return true;
        }
    }
    cursor->at = cursor->end;
    return false;
}

/* Past one value of any kind; false when the line ends inside it. Counts brackets, checks nothing: the host does. */
static bool skip_value(struct cursor *cursor)
{
    if (next_is(cursor, '"'))
        return skip_string(cursor);
    size_t depth = 0;
    while (cursor->at < cursor->end) {
        char c = *cursor->at;
        if (c == '"') {
            if (!skip_string(cursor))
                return false;
            continue;
        }
        if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                return true;
            depth--;
            if (depth == 0) {
                cursor->at++;
                return true;
            }
        } else if (depth == 0 && strchr(", \t\r\n", c) != NULL && c != '\0') {
            return true;
        }
        cursor->at++;
    }
    return false;
}

static bool is_named(struct mcp_slice key, const char *name)
{
    return key.length == strlen(name) && memcmp(key.bytes, name, key.length) == 0;
}

static enum mcp_kind kind_of(const struct mcp_message *message, bool has_id, bool has_outcome)
{
    if (!has_id)
        return MCP_NOTIFICATION;
    return message->method.length == 0 && has_outcome ? MCP_ANSWER : MCP_REQUEST;
}

struct mcp_message mcp_message_read(const char *line, size_t length)
{
    struct cursor cursor = {.at = line, .end = line + length};
    struct mcp_message message = {.kind = MCP_OTHER};
    bool has_id = false, has_outcome = false;
    skip_spaces(&cursor);
    if (!next_is(&cursor, '{'))
        return message;
    cursor.at++;
    for (;;) {
        skip_spaces(&cursor);
        if (next_is(&cursor, '}'))
            break;
        if (!next_is(&cursor, '"'))
            return message;
        struct mcp_slice key = {.bytes = cursor.at + 1};
        bool complete = skip_string(&cursor);
        key.length = (size_t)(cursor.at - key.bytes) - (complete ? 1 : 0);
        skip_spaces(&cursor);
        if (!complete || !next_is(&cursor, ':'))
            break;
        cursor.at++;
        skip_spaces(&cursor);
        struct mcp_slice value = {.bytes = cursor.at};
        bool is_text = next_is(&cursor, '"');
        complete = skip_value(&cursor);
        value.length = (size_t)(cursor.at - value.bytes);
        if (is_named(key, "id") && complete && value.length > 0) {
            has_id = true;
            message.id = value;
        } else if (is_named(key, "method") && complete && is_text && value.length >= 2) {
            message.method = (struct mcp_slice){.bytes = value.bytes + 1, .length = value.length - 2};
        } else if (is_named(key, "result") || is_named(key, "error")) {
            has_outcome = true;
        }
        skip_spaces(&cursor);
        if (!next_is(&cursor, ','))
            break;
        cursor.at++;
    }
    message.kind = kind_of(&message, has_id, has_outcome);
    return message;
}
