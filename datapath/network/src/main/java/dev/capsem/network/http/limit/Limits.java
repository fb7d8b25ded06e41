package dev.capsem.network.http.limit;

import dev.capsem.events.security.Body;

/// How much of anything we hold; what happens beyond it is said at each.
public final class Limits {
    /// Beyond it the request is answered with 431.
    public static final int HEADER_BLOCK_BYTES = 64 * 1024;

    /// What HTTP/2 reads of a head before the connection itself is given up; between the two the request is answered.
    public static final int HTTP2_HEADER_BLOCK_BYTES = 4 * HEADER_BLOCK_BYTES;

    /// A chunk's size line with its extension; beyond it the request is malformed.
    public static final int CHUNK_LINE_BYTES = 256;

    /// Beyond it a body is [Body.TooLarge] to rules and is no longer held for them.
    public static final int INSPECTED_BYTES = Body.INSPECTED_BYTES_MAX;

    /// Bytes out per byte in; beyond it content counts as undecodable.
    public static final int DECOMPRESSION_RATIO = 100;

    /// Below this much output the ratio is not looked at: pages and logs that repeat themselves compress well too.
    public static final int RATIO_FREE_BYTES = 4 * 1024 * 1024;

    /// How long a guest that was told to go may take to leave; then its connection is closed.
    public static final int DRAINED_SECONDS = 2;

    /// How long a guest that closed its sending half over TLS is kept for an answer that did not begin: a program that
    /// was killed leaves the same way, and its call must not go on for long.
    public static final int HALF_CLOSED_SECONDS = 5;

    /// Streams that a guest may have open on one HTTP/2 connection; the peer is told and held to it.
    public static final int STREAMS_PER_CONNECTION = 256;

    /// Resets per half minute before an HTTP/2 connection is closed (CVE-2023-44487).
    public static final int RESETS_PER_WINDOW = 200;

    public static final int RESET_WINDOW_SECONDS = 30;

    /// SETTINGS, PING, PRIORITY and unknown frames per ten seconds before an HTTP/2 connection is closed. gRPC clients
    /// that measure their bandwidth ping thousands of times a second at most; a flood is hundreds of thousands.
    public static final int CONTROL_FRAMES_PER_WINDOW = 50_000;

    public static final int CONTROL_WINDOW_SECONDS = 10;

    /// CONTINUATION frames of one header block that carry next to nothing; beyond it the connection is closed.
    public static final int SMALL_CONTINUATIONS = 16;

    /// DATA frames without data in a row; beyond it the connection is closed.
    public static final int EMPTY_DATA_FRAMES = 8;

    /// Flow-control window of one HTTP/2 stream, and of a connection.
    public static final int STREAM_WINDOW_BYTES = 512 * 1024;

    public static final int CONNECTION_WINDOW_BYTES = 4 * 1024 * 1024;

    /// Upstream connections kept for the next request, per origin and event loop; others are closed.
    public static final int IDLE_PER_ORIGIN = 16;

    /// Upstream connections per event loop; beyond it requests are answered with 503.
    public static final int UPSTREAMS_PER_LOOP = 2_048;

    private Limits() {}
}
