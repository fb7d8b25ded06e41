/// Connections to upstreams: `UpstreamPool` keeps those of one event loop and has an `UpstreamConnector` open others.
/// An exchange holds an `Upstream` and hears of it through `UpstreamEvents`.
@NullMarked
package dev.capsem.network.http.upstream;

import org.jspecify.annotations.NullMarked;
