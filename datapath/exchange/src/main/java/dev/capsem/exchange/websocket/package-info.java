/// The messages of a WebSocket whose messages a rule must read. [MessageExchange] takes a [MessageInput] at a time
/// and answers with [MessageAction]s. Sees `events`, [dev.capsem.exchange.Judge] and the exchange that opened the
/// connection (`exchange.http`). The shell is `network.http.MessagePolicy`.
@NullMarked
package dev.capsem.exchange.websocket;

import org.jspecify.annotations.NullMarked;
