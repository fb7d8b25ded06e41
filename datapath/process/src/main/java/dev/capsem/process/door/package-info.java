/// Ports 5002 and 5007, the only ways out of a sandbox. `Door` is what stands behind one of them;
/// `RefuseAll` stands behind port 5002 when no network engine can be had: every attempt is put on record
/// and refused. All bytes here are the guest's: nothing is believed, everything is bounded.
@NullMarked
package dev.capsem.process.door;

import org.jspecify.annotations.NullMarked;
