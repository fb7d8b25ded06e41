/// Hot reload: brings changed profiles and runtime rules to running sandboxes. Entry type:
/// [dev.capsem.service.reload.Reloads]. A sandbox that cannot take them keeps what it has, and the answer says so.
@NullMarked
package dev.capsem.service.reload;

import org.jspecify.annotations.NullMarked;
