package dev.capsem.profiles;

/// Where a model provider answers beside its own well-known hosts: a company's gateway, a local server.
///
/// @param provider as in `[ai.providers.<provider>]`
/// @param baseUrl `http(s)://host[:port][/path]`
public record ProviderUrl(String provider, String baseUrl) {}
