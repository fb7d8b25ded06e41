/// Messages of WebSockets, played from transcripts.
@NullMarked
package dev.capsem.exchange.websocket;

import org.jspecify.annotations.NullMarked;
