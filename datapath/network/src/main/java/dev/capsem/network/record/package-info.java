/// The record of an exchange after it is over: rows without secrets. Headers are kept by a list of harmless names,
/// texts are masked. Rules never see any of this: they judge the real values, before. Entry types:
/// `ExchangeRecorder`, `Redaction`.
@NullMarked
package dev.capsem.network.record;

import org.jspecify.annotations.NullMarked;
