/// The sandbox-server API from its owner's side: who may use it, and whether it is served over TCP at all. The service
/// makes and keeps tokens; here they are shown once, or written to the file where their clients look for them.
@NullMarked
package dev.capsem.cli.token;

import org.jspecify.annotations.NullMarked;
