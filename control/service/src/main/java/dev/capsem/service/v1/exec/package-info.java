/// Commands of the sandbox-server API: answered whole, or as lines while they run. Entry
/// type: [dev.capsem.service.v1.exec.ExecApi].
@NullMarked
package dev.capsem.service.v1.exec;

import org.jspecify.annotations.NullMarked;
