package dev.capsem.network.http.codec;

/// What the decoder says of bytes that are no request it will pass on. Nothing after them is read.
///
/// @param status what to answer
/// @param reason for people and the record; never holds payload
public record BadRequest(int status, String reason) {}
