/// Where sandboxes run: the driver SPI, its abilities as data, the lifecycle, and the drivers. Entry type:
/// `SandboxDriver`. Nothing above a driver knows how a port or a process tree is made.
@NullMarked
package dev.capsem.sandbox;

import org.jspecify.annotations.NullMarked;
