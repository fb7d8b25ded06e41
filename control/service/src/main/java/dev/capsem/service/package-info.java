/// capsem-service: one per home. Serves the HTTP API on a Unix socket, keeps the registry of sandboxes, starts a
/// capsem-process for each and finds them again after a crash of its own. Entry type:
/// [dev.capsem.service.ServiceMain]. It never touches a guest's bytes itself: commands and files go through the
/// sandbox's own process.
@NullMarked
package dev.capsem.service;

import org.jspecify.annotations.NullMarked;
