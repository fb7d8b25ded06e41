package dev.capsem.bench.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.littleshoot.proxy.extras.SelfSignedMitmManager;
import org.littleshoot.proxy.extras.SelfSignedSslEngineSource;
import org.littleshoot.proxy.impl.DefaultHttpProxyServer;

/// LittleProxy with TLS ended in the middle, nothing filtered, nothing recorded. Arguments: the port, a directory for
/// its key store.
public final class LittleProxyPeer {
    private LittleProxyPeer() {}

    public static void main(String[] arguments) throws InterruptedException {
        Path keyStore = Path.of(arguments[1]).resolve("littleproxy.jks");
        DefaultHttpProxyServer.bootstrap()
                .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])))
                .withManInTheMiddle(
                        new SelfSignedMitmManager(new SelfSignedSslEngineSource(keyStore.toString(), true, true)))
                .start();
        System.out.println("ready");
        // Its threads are daemons: without this one the program would end.
        Thread.currentThread().join();
    }
}
