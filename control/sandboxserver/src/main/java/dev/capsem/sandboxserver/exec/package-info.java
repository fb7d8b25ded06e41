/// Commands of the sandbox-server API: answered whole, or as lines while they run. Entry
/// type: [dev.capsem.sandboxserver.exec.ExecApi].
@NullMarked
package dev.capsem.sandboxserver.exec;

import org.jspecify.annotations.NullMarked;
