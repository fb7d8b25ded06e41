/// Questions that sandboxes have for people: a bounded queue, a connection to every running sandbox, and the answers.
/// Entry type: [dev.capsem.service.approvals.Approvals]. Never decides by itself but to refuse; the deadline is kept by
/// the sandbox's own process, which blocks when this one is gone.
@NullMarked
package dev.capsem.service.approvals;

import org.jspecify.annotations.NullMarked;
