/// Records of the service's HTTP API, shared by the service and its clients.
@NullMarked
package dev.capsem.wire.service;

import org.jspecify.annotations.NullMarked;
