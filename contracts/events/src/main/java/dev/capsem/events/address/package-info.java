/// Hosts, addresses and URLs as rules read them: one spelling of a host and one class of an address (`HostNames`,
/// `AddressClass`), and every way in which a server may read a path (`UrlReading`, `UrlPaths`).
@NullMarked
package dev.capsem.events.address;

import org.jspecify.annotations.NullMarked;
