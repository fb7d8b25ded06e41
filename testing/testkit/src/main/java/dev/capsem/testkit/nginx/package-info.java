/// A real nginx with a directory of its own, for what nobody here wrote. Entry type: `NginxOrigin`.
@NullMarked
package dev.capsem.testkit.nginx;

import org.jspecify.annotations.NullMarked;
