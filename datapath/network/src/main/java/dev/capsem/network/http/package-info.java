/// HTTP/1.1 and HTTP/2 on both legs, read strictly. `ExchangeShell` carries one `exchange.http.HttpExchange`, which
/// decides, on one event loop: it tells it what happens and does what it says. Futures of writes and closes are let go,
/// because the channel's own end tells the same. Entry types: `HttpTraffic`, `GuestPipeline` (what a
/// connection becomes), `ExchangeShell` (what a request becomes). The way of a request: `codec` (bytes → messages),
/// `head`, `body`, `upstream`; after an upgrade, `websocket`. `limit` says how much and how long.
@NullMarked
package dev.capsem.network.http;

import org.jspecify.annotations.NullMarked;
