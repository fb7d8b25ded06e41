package dev.capsem.telemetry;

/// The last link of a session's hash chain. Whoever keeps it elsewhere can tell later that nothing before it was
/// changed or
/// cut off.
///
/// @param seq 0 when the chain is empty
/// @param hash 64 hex digits
public record ChainHead(long seq, String hash) {
    public static final ChainHead EMPTY = new ChainHead(0, SealBuffer.GENESIS);
}
