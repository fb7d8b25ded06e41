/// `capsem claude` and its like: an agent of this host in a sandbox with the project, from finding it to reviewing
/// what it did. Entry type: `AgentCommand`. The service does the work; nothing here holds a credential longer than
/// it takes to hand it over.
@NullMarked
package dev.capsem.cli.agent;

import org.jspecify.annotations.NullMarked;
