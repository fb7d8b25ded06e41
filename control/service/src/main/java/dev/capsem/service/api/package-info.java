/// The routes of the service: what each takes, whom it asks, what it answers. Entry type:
/// [dev.capsem.service.api.ServiceRoutes]. Parses at the edge; decides nothing about sandboxes.
@NullMarked
package dev.capsem.service.api;

import org.jspecify.annotations.NullMarked;
