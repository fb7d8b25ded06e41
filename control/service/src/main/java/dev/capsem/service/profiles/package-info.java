/// Profiles as the service uses them: resolved once, kept until a file changes, checked by the rule compiler before
/// anything runs under them, and written into session directories. Entry type: [dev.capsem.service.profiles.Profiles].
/// Knows nothing of sandboxes.
@NullMarked
package dev.capsem.service.profiles;

import org.jspecify.annotations.NullMarked;
