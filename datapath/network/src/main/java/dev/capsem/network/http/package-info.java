/// One exchange at a time between a guest and an upstream, over HTTP/1.1 or HTTP/2 on either leg: read strictly, shown
/// to the Security Engine, refused or carried on, put on record. Everything of an exchange happens on one event loop.
/// Futures of writes and closes are let go, because the channel's own end tells the same. Entry types: `HttpTraffic`,
/// `GuestPipeline` (what a connection becomes), `Exchange` (what a request becomes).
@NullMarked
package dev.capsem.network.http;

import org.jspecify.annotations.NullMarked;
