package dev.capsem.cli.install;

import java.util.Map;

/// What a client needs to know to start the server.
///
/// @param name what the client calls it
/// @param program absolute path
record Registration(String name, String program, Map<String, String> environment) {}
