/// Grants of a profile: which credential goes to which hosts, in which places of a request. Entry types:
/// `ProfileGrant` and `GrantReader`. `GrantSource` says where a value is, `GrantValues` is the port that fetches
/// it. Holds references, never values. No IO.
@NullMarked
package dev.capsem.profiles.grant;

import org.jspecify.annotations.NullMarked;
