/// Files of sandboxes: `/files/{id}`. Entry type: [dev.capsem.service.files.SandboxFiles]. In a running sandbox the
/// agent does the work, with the guest's own rights; a stopped one is read from its directory on the host,
/// following no link. A path is used exactly as given, or refused.
@NullMarked
package dev.capsem.service.files;

import org.jspecify.annotations.NullMarked;
