package dev.capsem.cli.install;

import java.util.Map;

/// The facts that a client needs to start the server.
///
/// @param name what the client calls it
/// @param program absolute path
record Registration(String name, String program, Map<String, String> environment) {}
