package dev.capsem.api;

import dev.capsem.http.Api;
import dev.capsem.http.RouteTable;
import dev.capsem.http.RouteWatch;
import java.util.Arrays;

/// The service's own API: all its routes in one table.
public final class ServiceRoutes {
    private ServiceRoutes() {}

    /// @param apis in the order of the reference
    public static RouteTable table(RouteWatch watch, Api... apis) {
        return new RouteTable(
                Arrays.stream(apis).flatMap(api -> api.routes().stream()).toList(),
                RouteTable.JSON_BYTES_MAX,
                new ServiceErrors(),
                watch);
    }
}
