@NullMarked
package dev.capsem.service.commands;

import org.jspecify.annotations.NullMarked;
