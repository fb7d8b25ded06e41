package dev.capsem.backends.io;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// Sockets beyond plain dialling.
public final class Sockets {
    private Sockets() {}

    /// One that the host connected to a server's stdin and stdout.
    public static Socket unix(Path path) throws IOException {
        return UnixSocket.connect(path);
    }

    /// TLS over a connected socket; the server must prove that it is `host`.
    public static Socket secured(Socket plain, String host, int port, SSLSocketFactory tls) throws IOException {
        SSLSocket socket = (SSLSocket) tls.createSocket(plain, host, port, true);
        try {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setApplicationProtocols(new String[] {"http/1.1"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
