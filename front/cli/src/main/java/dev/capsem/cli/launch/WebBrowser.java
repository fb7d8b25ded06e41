package dev.capsem.cli.launch;

import java.io.IOException;
import java.util.Map;

/// The browser of the person at this desktop.
public final class WebBrowser {
    private final Map<String, String> environment;

    public WebBrowser(Map<String, String> environment) {
        this.environment = environment;
    }

    /// Whether it was started. Without a desktop there is none to start.
    public boolean open(String address) {
        boolean hasDesktop = environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY");
        if (!hasDesktop) {
            return false;
        }
        try {
            new ProcessBuilder("xdg-open", address)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
