/// Profiles: layers in, the effective profile out, with whom each entry belongs to. Entry type:
/// `ProfileLibrary`, all layers of one moment, whose `resolve` merges them (`ProfileMerge`). `EffectiveProfile`
/// is what a session runs under; `EffectiveJson` writes and reads it, `ProfileDiff` compares two, `Connectors`
/// answers for the MCP part. Rules stay text for the Security Engine. Files are read in `io` only.
@NullMarked
package dev.capsem.profiles;

import org.jspecify.annotations.NullMarked;
