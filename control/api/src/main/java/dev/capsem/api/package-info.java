/// The service's own HTTP API: what each route takes, whom it asks, what it answers. Entry type:
/// [dev.capsem.api.ServiceRoutes]. Parses at the edge; decides nothing about sandboxes.
@NullMarked
package dev.capsem.api;

import org.jspecify.annotations.NullMarked;
