/// A certificate authority of the tests, made by OpenSSL: good, expired and misnamed certificates. Entry
/// type: `TestAuthority`.
@NullMarked
package dev.capsem.testkit.tls;

import org.jspecify.annotations.NullMarked;
