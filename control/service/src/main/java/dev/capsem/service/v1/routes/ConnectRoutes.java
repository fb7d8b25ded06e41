package dev.capsem.service.v1.routes;

import static dev.capsem.service.http.Route.BodyKind.BYTES;
import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.v1.Access.EXECUTE;
import static dev.capsem.service.v1.Access.READ;
import static dev.capsem.service.v1.routes.SandboxServerRoutes.route;

import dev.capsem.service.http.Route;
import dev.capsem.service.v1.Access;
import dev.capsem.service.v1.SandboxServer;
import dev.capsem.service.v1.connect.ConnectDesk;
import dev.capsem.service.v1.connect.GuestDesk;
import dev.capsem.service.v1.sandboxes.Ended;
import java.util.List;

/// Calls of the runtime protocol.
final class ConnectRoutes {
    private static final String SERVICE = "/sandbox.v1.Sandbox/";

    private ConnectRoutes() {}

    static List<SandboxServer.Guarded> of(ConnectDesk desk, GuestDesk guest, Ended ended) {
        return List.of(
                unary(READ, "List", "{entries, nextPageToken?}", "Lists a directory.", ended.explained(desk::list)),
                unary(
                        READ,
                        "Stat",
                        "{name, path, isDir?, size?, mode?, modifiedAtUnix}",
                        "One file.",
                        ended.explained(desk::stat)),
                unary(
                        EXECUTE,
                        "Mkdir",
                        "{}",
                        "Makes a directory with its parents.",
                        ended.explained(desk::makeDirectory)),
                unary(EXECUTE, "Remove", "{}", "Removes a file or a directory.", ended.explained(desk::remove)),
                stream(
                        EXECUTE,
                        "ExecStream",
                        "{stdout}, {stderr}, {exit: {exitCode, execTimeMs, error?}}",
                        "Runs a command.",
                        ended.explained(desk::execStream)),
                stream(
                        EXECUTE,
                        "RunCodeStream",
                        "{stdout}, {stderr}, {exitCode}",
                        "Runs code of a language.",
                        ended.explained(desk::runCodeStream)),
                stream(READ, "ReadFile", "{data}, {eof}", "Reads a file.", ended.explained(desk::readFile)),
                stream(
                        EXECUTE,
                        "WriteFile",
                        "{bytesWritten}",
                        "Writes a file: {open: {path, mode}}, then {data}.",
                        ended.explained(desk::writeFile)),
                stream(
                        READ,
                        "Archive",
                        "{data}, {eof}",
                        "Reads a directory as a tar stream.",
                        ended.explained(guest::archive)),
                stream(
                        EXECUTE,
                        "Upload",
                        "{bytesWritten}",
                        "Unpacks a tar archive: {open: {dest}}, then {chunk}.",
                        ended.explained(guest::upload)),
                unary(
                        EXECUTE,
                        "Processes",
                        "{processes: [{pid, ppid?, command, state, cpuPercent?, rssBytes?}]}",
                        "The guest's processes.",
                        ended.explained(guest::processes)),
                unary(EXECUTE, "Signal", "{}", "Sends {pid, signal}.", ended.explained(guest::signal)),
                route(
                        EXECUTE,
                        "GET",
                        SERVICE + "Exec",
                        NONE,
                        "WebSocket",
                        "A terminal in ?sandbox=; subprotocol connect.sandbox.v1.",
                        ended.explained(desk::terminal)));
    }

    private static SandboxServer.Guarded unary(
            Access access, String method, String answer, String purpose, Route.Handler handler) {
        return route(access, "POST", SERVICE + method, JSON, answer, purpose, handler);
    }

    private static SandboxServer.Guarded stream(
            Access access, String method, String answer, String purpose, Route.Handler handler) {
        return route(access, "POST", SERVICE + method, BYTES, "frames: " + answer, purpose, handler);
    }
}
