package dev.capsem.http;

import java.util.List;

/// Routes that belong together, with what answers them.
public interface Api {
    /// In the order of the reference.
    List<Route> routes();
}
