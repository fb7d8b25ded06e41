/// Secrets, and texts that name them instead of holding them. Entry types: `Secret`, whose `toString` is `***`,
/// and `Template`, a text with references such as `${secret:github-token}`. `SecretSource` is the port that
/// turns a reference into its secret at the last moment. No IO.
@NullMarked
package dev.capsem.profiles.secret;

import org.jspecify.annotations.NullMarked;
