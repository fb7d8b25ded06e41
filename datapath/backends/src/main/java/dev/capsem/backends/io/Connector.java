package dev.capsem.backends.io;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// Makes connections, plain or secured.
public final class Connector {
    private final Dialer dialer;
    private final SSLSocketFactory tls;

    /// @param tls decides whose certificates count
    public Connector(Dialer dialer, SSLSocketFactory tls) {
        this.dialer = dialer;
        this.tls = tls;
    }

    /// @param isSecure over TLS, and the server must prove that it is `host`
    public ServerLink connect(String host, int port, boolean isSecure) throws IOException {
        ChannelSocket plain = dialer.dial(host, port);
        return new ServerLink(plain, isSecure ? secured(plain, host, port) : plain);
    }

    /// One that the host connected to a server's stdin and stdout.
    public static ServerLink unix(Path path) throws IOException {
        ChannelSocket plain = ChannelSocket.connect(path);
        return new ServerLink(plain, plain);
    }

    private Socket secured(Socket plain, String host, int port) throws IOException {
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
