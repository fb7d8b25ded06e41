package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.BYTES;
import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;

import dev.capsem.service.http.Route;
import java.util.List;

/// Profiles, secrets and MCP servers.
final class ProfileRoutes {
    private ProfileRoutes() {}

    static List<Route> profiles(ProfileDesk profiles) {
        return List.of(
                new Route("GET", "/profiles", NONE, "{chosen, profiles: […]}", "All profiles.", profiles::list),
                new Route(
                        "POST",
                        "/profiles/use",
                        JSON,
                        "{chosen}",
                        "Chooses the profile of sandboxes that name none.",
                        profiles::use),
                new Route(
                        "POST",
                        "/profiles/validate",
                        JSON,
                        "{ok, problems, warnings}",
                        "What would come of {name, text, lists}; keeps nothing.",
                        profiles::validate),
                new Route(
                        "GET",
                        "/profiles/diff",
                        NONE,
                        "{from, to, changes, text}",
                        "What differs between ?from= and ?to=.",
                        profiles::diff),
                new Route(
                        "GET",
                        "/profiles/{id}",
                        NONE,
                        "a profile",
                        "One profile; ?effective=true: every entry, and whose it is.",
                        profiles::show),
                new Route(
                        "GET",
                        "/secrets",
                        NONE,
                        "{secrets: [{name, set_at?}]}",
                        "The names of secrets, and when they were set.",
                        profiles::secrets),
                new Route(
                        "PUT",
                        "/secrets/{name}",
                        BYTES,
                        "{name, set}",
                        "Keeps the body as a secret; at most 64 KiB.",
                        profiles::setSecret),
                new Route("DELETE", "/secrets/{name}", NONE, "{name, removed}", "Forgets one.", profiles::removeSecret),
                new Route(
                        "GET",
                        "/mcp/connectors",
                        NONE,
                        "{mode, profile_id, servers: […]}",
                        "The MCP servers of ?profile=; tokens appear as references.",
                        profiles::connectors),
                new Route(
                        "POST",
                        "/mcp/connectors",
                        JSON,
                        "a server",
                        "Adds a server to a profile of the user.",
                        profiles::addConnector),
                new Route(
                        "DELETE",
                        "/mcp/connectors/{id}",
                        NONE,
                        "{mode, profile_id, server_id, removed}",
                        "Removes one.",
                        profiles::removeConnector));
    }

    static List<Route> mcp(McpDesk mcp) {
        return List.of(
                new Route(
                        "GET",
                        "/mcp/tools/{id}",
                        NONE,
                        "{servers: […], tools: […]}",
                        "The MCP servers and tools of a running sandbox, or of its ?server=; connects and lists, calls"
                                + " nothing.",
                        mcp::tools),
                new Route(
                        "POST",
                        "/mcp/tools/{id}/approve",
                        JSON,
                        "as GET",
                        "Agrees to {tools: [name]} as they are now, or to {all: true}.",
                        mcp::approve));
    }
}
