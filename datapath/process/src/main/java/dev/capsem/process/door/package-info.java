/// Ports 5002 and 5007, the only ways out of a sandbox, as long as no network engine stands behind them: every attempt
/// is put on record and refused. Entry types: `RefusingNetworkDoor`, `RefusingDnsDoor`. All bytes here are the guest's:
/// nothing is believed, everything is bounded.
@NullMarked
package dev.capsem.process.door;

import org.jspecify.annotations.NullMarked;
