package dev.capsem.fuzz;

import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;

/// What holds of every decoder, whatever the bytes.
public final class Property {
    private static final int CUTS_MAX = 6;

    private Property() {}

    public static void holds(boolean claim, String words) {
        if (!claim) {
            throw new AssertionError(words);
        }
    }

    public static void same(Object one, Object other, String words) {
        if (!one.equals(other)) {
            throw new AssertionError(words + ": " + one + " and " + other);
        }
    }

    /// Places at which to cut the input, in order; the same ones for the same input, so that a file reproduces
    /// a finding.
    public static int[] cuts(byte[] data) {
        SplittableRandom random = new SplittableRandom(Arrays.hashCode(data));
        return random.ints(random.nextInt(1, CUTS_MAX), 0, data.length + 1)
                .sorted()
                .toArray();
    }

    /// The pieces between such cuts.
    public static byte[][] pieces(byte[] data) {
        int[] cuts = cuts(data);
        byte[][] pieces = new byte[cuts.length + 1][];
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i < cuts.length ? cuts[i] : data.length;
            pieces[i] = Arrays.copyOfRange(data, from, to);
            from = to;
        }
        return pieces;
    }

    /// Once a decoder has answered, more bytes do not change its mind; and it takes no bytes that are not there.
    public static <M> Decoded<M> settled(byte[] data, Function<ByteBuffer, Decoded<M>> decoder) {
        ByteBuffer bytes = ByteBuffer.wrap(data);
        Decoded<M> whole = decoder.apply(bytes);
        same(bytes.position(), 0, "the decoder moved its input");
        for (int cut : cuts(data)) {
            Decoded<M> early = decoder.apply(ByteBuffer.wrap(data, 0, cut));
            if (early instanceof Decoded.NeedMore<M>) {
                continue;
            }
            same(told(early), told(whole), "after " + cut + " bytes and after all");
        }
        if (whole instanceof Decoded.Message<M>(M _, int consumed)) {
            holds(consumed >= 0 && consumed <= data.length, "consumed " + consumed + " of " + data.length);
        }
        return whole;
    }

    /// Without what records with arrays say of themselves.
    private static <M> String told(Decoded<M> decoded) {
        return switch (decoded) {
            case Decoded.NeedMore<M> _ -> "need more";
            case Decoded.Malformed<M>(String reason) -> "malformed: " + reason;
            case Decoded.Message<M>(M value, int consumed) ->
                consumed + " bytes: " + value.toString().replaceAll("\\[B@[0-9a-f]+", "bytes");
        };
    }
}
