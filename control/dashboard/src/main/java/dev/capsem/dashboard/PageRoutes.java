package dev.capsem.dashboard;

import dev.capsem.http.Request;
import java.util.Set;

/// The routes of the service that the page uses. It gets no others: a fault of the page then cannot end the service,
/// read a secret's name or change the gateway.
final class PageRoutes {
    /// Method and first segment of the path.
    private static final Set<String> ROUTES = Set.of(
            "GET version",
            "GET status",
            "GET events",
            "GET list",
            "GET info",
            "GET diff",
            "GET history",
            "GET verify",
            "GET stats",
            "GET cost",
            "GET timeline",
            "GET triage",
            "GET panics",
            "GET confirm",
            "GET rules",
            "GET profiles",
            "GET budgets",
            "GET mcp",
            "POST provision",
            "POST stop",
            "POST suspend",
            "POST resume",
            "POST fork",
            "DELETE delete",
            "POST apply",
            "POST inspect",
            "POST confirm",
            "POST rules",
            "DELETE rules",
            "POST budgets",
            "POST mcp");

    private PageRoutes() {}

    static boolean mayUse(Request request) {
        String path = request.path();
        int end = path.indexOf('/', 1);
        String first = path.substring(1, end < 0 ? path.length() : end);
        if (first.equals("enforcement")) {
            return request.method().equals("POST") && path.equals("/enforcement/backtest");
        }
        if (first.equals("mcp")) {
            return path.startsWith("/mcp/tools/");
        }
        return ROUTES.contains(request.method() + " " + first);
    }
}
