/// What sandboxes are made from: templates that clients registered, profiles, and sandboxes themselves. Entry
/// type: [dev.capsem.service.v1.templates.Templates].
@NullMarked
package dev.capsem.service.v1.templates;

import org.jspecify.annotations.NullMarked;
