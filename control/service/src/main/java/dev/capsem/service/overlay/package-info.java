/// Rules and detections that are added to running sandboxes through the API: kept in one file, checked before they
/// are taken, and laid beside the profile in each session's directory. Entry type:
/// [dev.capsem.service.overlay.RuntimeRules]. They never outrank a company's rules.
@NullMarked
package dev.capsem.service.overlay;

import org.jspecify.annotations.NullMarked;
