/// The ports between the Network Engine and the stages that understand what it carries: the model tap and the MCP
/// endpoint. They see bytes only through these types, and the engine sees nothing of them. Entry types:
/// `ExchangeObserver`, `ConnectionHandoff`.
@NullMarked
package dev.capsem.events.traffic;

import org.jspecify.annotations.NullMarked;
