// A directory of the host that has mounts below it, put together from its parts for an ordinary user.
#ifndef CAPSEM_LAUNCHER_PARTS_H
#define CAPSEM_LAUNCHER_PARTS_H

#include <stdbool.h>

struct divided {
    const char *layer;   // its name below up/ and base/
    const char *path;    // the directory of the host
    const char *skipped; // a directory at its top that is a layer of its own, or NULL
};

bool has_mounts_below(const char *path);
// Stages the parts in `host/part*` and what needs no mount in `skeleton/<layer>`. The current directory is the staging area.
void divide(const struct divided *divided);
bool is_divided(const char *layer);
// After the layer's own overlay is mounted on `target`.
void mount_parts(const char *layer, const char *target, int root);

#endif
