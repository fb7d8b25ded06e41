package dev.capsem.service.approvals;

import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import java.util.Optional;

/// Whose questions a subscriber of the stream hears, and whether it can get them answered.
///
/// @param only the one sandbox that it is about; empty for all
/// @param answers false for one that only tells: it does not keep a question waiting
public record Watch(Optional<Sandbox> only, boolean answers) {
    /// By process as well: a sandbox that is made persistent gets another name while its terminal stays attached.
    boolean covers(Sandbox asking) {
        return only.map(one -> one.id().equals(asking.id()) || isSameProcess(one, asking))
                .orElse(true);
    }

    private static boolean isSameProcess(Sandbox one, Sandbox other) {
        Optional<Long> pid = one.instance().map(Instance::pid);
        return pid.isPresent() && pid.equals(other.instance().map(Instance::pid));
    }
}
