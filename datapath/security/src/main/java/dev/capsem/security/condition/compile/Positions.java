package dev.capsem.security.condition.compile;

import dev.cel.common.CelSource;
import dev.cel.common.CelSourceLocation;

/// Where in the condition's text each expression stands, as a count of code points from its start.
final class Positions {
    private final CelSource source;

    Positions(CelSource source) {
        this.source = source;
    }

    /// CEL places `a.b` at its dot; what a reader looks for begins behind it.
    int of(long id) {
        Integer offset = source.getPositionsMap().get(id);
        return offset == null ? 0 : at(offset, '.') ? offset + 1 : offset;
    }

    /// CEL places `a.f(x)` at its parenthesis; what a reader looks for is the name before it.
    int of(CelSourceLocation location) {
        int offset = source.getLocationOffset(location).orElse(0);
        int start = offset;
        while (at(offset, '(') && start > 0 && isName(start - 1)) {
            start--;
        }
        return start;
    }

    private boolean at(int offset, char wanted) {
        return offset < source.getContent().size() && source.getContent().get(offset) == wanted;
    }

    private boolean isName(int offset) {
        int c = source.getContent().get(offset);
        return c == '_' || Character.isLetterOrDigit(c);
    }
}
