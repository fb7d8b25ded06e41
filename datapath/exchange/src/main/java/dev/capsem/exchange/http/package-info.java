/// One proxied HTTP exchange, from a request's head to its last row. [HttpExchange] takes an [Input] at a time and
/// answers through [Actions]; nothing else here acts. A body passes as chunks (`body`) that nobody copies.
///
/// Sees `events` and [dev.capsem.exchange.Judge] only. The shell `network.http.ExchangeShell` reads, writes, waits and
/// keeps time.
@NullMarked
package dev.capsem.exchange.http;

import org.jspecify.annotations.NullMarked;
