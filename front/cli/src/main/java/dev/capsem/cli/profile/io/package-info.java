/// Fetches what a company publishes. Entry type: `Download`. Knows nothing of profiles.
@NullMarked
package dev.capsem.cli.profile.io;

import org.jspecify.annotations.NullMarked;
