#include "mcp_offer.h"

#include "console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RELAY "/run/capsem/capsem-mcp-server"
#define HOME "/root"

static const struct client {
    const char *name;
    const char *directory; /* below the home; empty for the home itself */
    const char *file;
    const char *text;
} CLIENTS[] = {
    {"claude", ".", ".claude.json",
     "{\"mcpServers\":{\"capsem\":{\"type\":\"stdio\",\"command\":\"" RELAY "\",\"args\":[],\"env\":{}}}}\n"},
    {"gemini", ".gemini", "settings.json", "{\"mcpServers\":{\"capsem\":{\"command\":\"" RELAY "\"}}}\n"},
    {"codex", ".codex", "config.toml", "[mcp_servers.capsem]\ncommand = \"" RELAY "\"\n"},
};

void mcp_offer_relay(void)
{
    if (symlink(RELAY, "/usr/local/bin/capsem-mcp-server") < 0 && errno != EEXIST)
        console_line("capsem-mcp-server is not on the PATH: %s", strerror(errno));
}

static bool is_named(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static void offer(int home, const struct client *client)
{
    if (mkdirat(home, client->directory, 0755) < 0 && errno != EEXIST)
        return;
    int directory = openat(home, client->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    int file = openat(directory, client->file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file >= 0) {
        if (write(file, client->text, strlen(client->text)) < 0)
            console_line("cannot write %s: %s", client->file, strerror(errno));
        close(file);
    }
    close(directory);
}

void mcp_offer_configuration(const char *clients)
{
    int home = open(HOME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (home < 0)
        return;
    for (size_t i = 0; i < sizeof CLIENTS / sizeof *CLIENTS; i++)
        if (is_named(clients, CLIENTS[i].name))
            offer(home, &CLIENTS[i]);
    close(home);
}
