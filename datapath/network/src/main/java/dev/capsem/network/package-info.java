/// The guarded door: TLS ended, HTTP and DNS parsed, each exchange shown to the Security Engine, then
/// refused or carried to its upstream and put on record. Owns parsing and transmission, never policy. Entry
/// type: `NetworkEngine`.
@NullMarked
package dev.capsem.network;

import org.jspecify.annotations.NullMarked;
