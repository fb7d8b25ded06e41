/// Trust of clients inside a sandbox in Capsem's certificates: the authority's certificate in the system's
/// bundles, a trust store for Java, and the environment variables that clients with a bundle of their own read. Pure;
/// drivers put it where it belongs. Entry types: `AuthorityCertificate`, `GuestTrust`.
@NullMarked
package dev.capsem.sandbox.trust;

import org.jspecify.annotations.NullMarked;
