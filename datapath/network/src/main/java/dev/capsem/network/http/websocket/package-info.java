/// The frames of a WebSocket, read and written. Entry type: `WebSocketReader`.
@NullMarked
package dev.capsem.network.http.websocket;

import org.jspecify.annotations.NullMarked;
