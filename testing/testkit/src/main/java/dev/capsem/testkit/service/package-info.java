/// capsem-service for tests of its clients. Entry type: `FakeService`.
@NullMarked
package dev.capsem.testkit.service;

import org.jspecify.annotations.NullMarked;
