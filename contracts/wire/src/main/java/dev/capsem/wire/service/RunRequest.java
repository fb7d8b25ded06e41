package dev.capsem.wire.service;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `POST /run`: a temporary sandbox, one command in it, gone. Both halves are members of the same JSON object, so `env`
/// goes to the sandbox and thereby to the command.
public record RunRequest(ProvisionRequest sandbox, ExecRequest exec) {
    public ObjectNode toJson() {
        ObjectNode json = exec.toJson();
        json.setAll(sandbox.toJson());
        return json;
    }

    public static RunRequest fromJson(JsonNode node) {
        return new RunRequest(ProvisionRequest.fromJson(node), ExecRequest.fromJson(node));
    }
}
