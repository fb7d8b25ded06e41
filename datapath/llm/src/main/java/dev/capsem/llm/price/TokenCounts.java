package dev.capsem.llm.price;

/// Tokens as they are billed: every token is in exactly one of the kinds below.
///
/// @param plainInput neither read from nor written to a cache
/// @param cacheWrite kept for minutes
/// @param cacheWriteHour kept for an hour
/// @param plainOutput without thinking
/// @param thinking billed as output unless the table says otherwise
public record TokenCounts(
        long plainInput, long cacheRead, long cacheWrite, long cacheWriteHour, long plainOutput, long thinking) {
    public TokenCounts {
        plainInput = Math.max(0, plainInput);
        cacheRead = Math.max(0, cacheRead);
        cacheWrite = Math.max(0, cacheWrite);
        cacheWriteHour = Math.max(0, cacheWriteHour);
        plainOutput = Math.max(0, plainOutput);
        thinking = Math.max(0, thinking);
    }

    /// Of every kind.
    public long all() {
        return allInput() + plainOutput + thinking;
    }

    /// Tiers go by all input, cached or not.
    long allInput() {
        return plainInput + cacheRead + cacheWrite + cacheWriteHour;
    }
}
