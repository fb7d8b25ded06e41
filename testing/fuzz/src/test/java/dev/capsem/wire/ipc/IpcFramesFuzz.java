package dev.capsem.wire.ipc;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.Decoded;

public final class IpcFramesFuzz {
    private IpcFramesFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        if (Property.settled(data, IpcProtocol::decodeService)
                instanceof Decoded.Message<ServiceMessage>(ServiceMessage message, int _)) {
            Property.holds(
                    IpcProtocol.decodeService(IpcProtocol.encode(message))
                                    instanceof Decoded.Message<ServiceMessage>(ServiceMessage again, int _)
                            && again.getClass() == message.getClass(),
                    "a message is not read again");
        }
        if (Property.settled(data, IpcProtocol::decodeProcess)
                instanceof Decoded.Message<ProcessMessage>(ProcessMessage message, int _)) {
            Property.holds(
                    IpcProtocol.decodeProcess(IpcProtocol.encode(message))
                                    instanceof Decoded.Message<ProcessMessage>(ProcessMessage again, int _)
                            && again.getClass() == message.getClass(),
                    "a message is not read again");
        }
    }
}
