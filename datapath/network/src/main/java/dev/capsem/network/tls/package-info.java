/// Both ends of TLS: the certificates we show the sandbox, and the trust with which we meet upstreams. Certificates are
/// written by hand as DER, because a leaf has eight fields and a library for it has nine megabytes. Entry types:
/// `CertificateAuthority`, `GuestTls`, `UpstreamTls`.
@NullMarked
package dev.capsem.network.tls;

import org.jspecify.annotations.NullMarked;
