/// Sources of new sandboxes: templates that clients registered, profiles, and sandboxes themselves. Entry
/// type: [dev.capsem.sandboxserver.templates.Templates].
@NullMarked
package dev.capsem.sandboxserver.templates;

import org.jspecify.annotations.NullMarked;
