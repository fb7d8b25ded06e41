package dev.capsem.service.api;

import dev.capsem.service.http.Route;
import dev.capsem.service.http.RouteTable;
import dev.capsem.service.http.RouteWatch;
import java.util.ArrayList;
import java.util.List;

/// The whole table, in the order of the reference.
public final class ServiceRoutes {
    private ServiceRoutes() {}

    /// Who answers what, and who watches.
    public record Desks(
            ServiceDesk service,
            SandboxDesk sandboxes,
            CommandDesk commands,
            FileDesk files,
            RecordDesk records,
            ConfirmDesk confirm,
            RuleDesk rules,
            RuntimeDesk runtime,
            ProfileDesk profiles,
            McpDesk mcp,
            OperationsDesk operations,
            DiagnoseDesk diagnose,
            RouteWatch watch) {}

    public static RouteTable table(Desks desks) {
        List<Route> routes = new ArrayList<>();
        routes.addAll(HostRoutes.service(desks.service));
        routes.addAll(SandboxRoutes.sandboxes(desks.sandboxes));
        routes.addAll(SandboxRoutes.commands(desks.commands));
        routes.addAll(SandboxRoutes.files(desks.files));
        routes.addAll(RecordRoutes.records(desks.records));
        routes.addAll(HostRoutes.operations(desks.operations));
        routes.addAll(DiagnoseRoutes.diagnose(desks.diagnose));
        routes.addAll(RuleRoutes.confirm(desks.confirm));
        routes.addAll(RuleRoutes.rules(desks.rules));
        routes.addAll(RuleRoutes.runtime(desks.runtime));
        routes.addAll(ProfileRoutes.profiles(desks.profiles));
        routes.addAll(ProfileRoutes.mcp(desks.mcp));
        return new RouteTable(routes, RouteTable.JSON_BYTES_MAX, new ServiceErrors(), desks.watch);
    }
}
