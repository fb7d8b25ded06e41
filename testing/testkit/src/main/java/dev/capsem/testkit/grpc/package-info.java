/// An HTTP/2 server that echoes messages and ends with trailers, as gRPC services do. Entry type: `GrpcOrigin`.
@NullMarked
package dev.capsem.testkit.grpc;

import org.jspecify.annotations.NullMarked;
