/// The service's requests to this process, one operation per connection. Entry type: `Operations`: a spare
/// waits for its assignment, an assigned process serves its sandbox. Knows no sockets; it gets connections after
/// their Hello.
@NullMarked
package dev.capsem.process.ipc;

import org.jspecify.annotations.NullMarked;
