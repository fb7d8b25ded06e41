@NullMarked
package dev.capsem.service;

import org.jspecify.annotations.NullMarked;
