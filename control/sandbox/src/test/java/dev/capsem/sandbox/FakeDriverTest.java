package dev.capsem.sandbox;

import dev.capsem.wire.SandboxSpec;

class FakeDriverTest extends SandboxDriverContract {
    private final FakeDriver driver = new FakeDriver();

    @Override
    protected SandboxDriver driver() {
        return driver;
    }

    @Override
    protected void bindPorts(SandboxSpec spec) {}

    @Override
    protected void awaitStarted(RunningSandbox sandbox) {}

    @Override
    protected boolean isAlive(SandboxHandle handle) {
        return driver.isRunning(handle);
    }
}
