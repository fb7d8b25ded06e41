package dev.capsem.security.condition;

/// The three outcomes a boolean term can have, as a set of bits: true, false, and missing (a value that it
/// reads is not there). A set of more than one says that a body we do not have would decide. A rule matches
/// only if the set is exactly true.
///
/// Missing behaves as in Kleene's logic: it stays missing through `!`, and through `&&` and `||` unless the other
/// side decides alone (`false && x`, `true || x`). So a rule never matches because something was left out.
public final class Truth {
    public static final int TRUE = 1;
    public static final int FALSE = 2;
    public static final int MISSING = 4;
    static final int ANY = TRUE | FALSE | MISSING;
    public static final int EITHER = TRUE | FALSE;

    private static final byte[] AND = new byte[64];
    private static final byte[] OR = new byte[64];

    static {
        for (int left = 0; left < 8; left++) {
            for (int right = 0; right < 8; right++) {
                AND[left * 8 + right] = (byte) pointwise(left, right, TRUE, FALSE);
                OR[left * 8 + right] = (byte) pointwise(left, right, FALSE, TRUE);
            }
        }
    }

    private Truth() {}

    public static int of(boolean value) {
        return value ? TRUE : FALSE;
    }

    static int and(int left, int right) {
        return AND[left * 8 + right];
    }

    public static int or(int left, int right) {
        return OR[left * 8 + right];
    }

    public static int not(int truth) {
        int missing = truth & MISSING;
        return missing | ((truth & TRUE) != 0 ? FALSE : 0) | ((truth & FALSE) != 0 ? TRUE : 0);
    }

    static boolean canBeTrue(int truth) {
        return (truth & TRUE) != 0;
    }

    /// @param neutral what leaves the other side as it is
    /// @param decisive what decides alone
    private static int pointwise(int left, int right, int neutral, int decisive) {
        int out = 0;
        for (int a = 1; a < 8; a <<= 1) {
            for (int b = 1; b < 8; b <<= 1) {
                if ((left & a) == 0 || (right & b) == 0) {
                    continue;
                }
                if (a == decisive || b == decisive) {
                    out |= decisive;
                } else if (a == neutral && b == neutral) {
                    out |= neutral;
                } else {
                    out |= MISSING;
                }
            }
        }
        return out;
    }
}
