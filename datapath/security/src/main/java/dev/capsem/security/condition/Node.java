package dev.capsem.security.condition;

import dev.capsem.security.schema.Unknown;

/// One step of a condition. Boolean steps implement [#truth], all others [#value]; each has the other from it.
public interface Node {
    /// A CEL value, or an [Unknown].
    Object value(Frame frame);

    /// A set of [Truth] bits.
    int truth(Frame frame);

    /// A step whose result is not known to be boolean.
    @FunctionalInterface
    interface Value extends Node {
        @Override
        default int truth(Frame frame) {
            return switch (value(frame)) {
                case Boolean truth -> Truth.of(truth);
                case Unknown unknown -> unknown.isOpen() ? Truth.ANY : Truth.MISSING;
                default -> Truth.MISSING;
            };
        }
    }

    /// A step whose result is boolean.
    @FunctionalInterface
    interface Test extends Node {
        @Override
        default Object value(Frame frame) {
            return switch (truth(frame)) {
                case Truth.TRUE -> true;
                case Truth.FALSE -> false;
                case Truth.MISSING -> Unknown.MISSING;
                default -> Unknown.UNREAD;
            };
        }
    }
}
