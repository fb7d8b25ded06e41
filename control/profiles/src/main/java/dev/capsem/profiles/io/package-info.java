/// The shell around profiles: reads and watches files, keeps the last good corp payloads and the secrets, edits
/// the person's own profiles. Entry type: `ProfileSource`. The only package of this module that touches files.
@NullMarked
package dev.capsem.profiles.io;

import org.jspecify.annotations.NullMarked;
