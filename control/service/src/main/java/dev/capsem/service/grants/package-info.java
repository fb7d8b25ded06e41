/// Grants as people ask about them and change them: in their own profiles, in force at once. Entry type: `GrantDesk`.
/// No value stays here.
@NullMarked
package dev.capsem.service.grants;

import org.jspecify.annotations.NullMarked;
