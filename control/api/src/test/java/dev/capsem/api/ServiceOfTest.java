package dev.capsem.api;

import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import java.nio.file.Path;

/// A service over a [FakeHost], opened and closed with a test.
final class ServiceOfTest implements AutoCloseable {
    private final FakeHost fake;
    private final SandboxEngine host;
    private final TestService service;

    ServiceOfTest(Path home) {
        fake = new FakeHost(home);
        host = fake.open();
        service = new TestService(fake, host, () -> {});
    }

    FakeHost fake() {
        return fake;
    }

    TestService service() {
        return service;
    }

    Calls calls() {
        return new Calls(service.routes());
    }

    @Override
    public void close() {
        service.close();
        host.close();
    }
}
