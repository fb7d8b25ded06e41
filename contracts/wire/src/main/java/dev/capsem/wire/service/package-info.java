/// Records of the service's HTTP API, shared by the service and its clients, each with its JSON codec: `toJson` and
/// `fromJson`. Entry types: [dev.capsem.wire.service.ProvisionRequest] and [dev.capsem.wire.service.ExecRequest].
/// Fields are only ever appended; unknown ones are ignored; a member of the wrong kind is a
/// [dev.capsem.wire.json.JsonShapeException]. No IO here.
@NullMarked
package dev.capsem.wire.service;

import org.jspecify.annotations.NullMarked;
