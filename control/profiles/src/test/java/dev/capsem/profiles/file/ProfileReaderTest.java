package dev.capsem.profiles.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.Layers;
import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.ServerTransport;
import dev.capsem.profiles.vocabulary.ProfileId;
import dev.capsem.source.Layer;
import dev.capsem.source.Problem;
import dev.capsem.source.SourceText;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProfileReaderTest {
    private static final List<Layer> LAYERS = List.of(Layer.CORP, Layer.USER, Layer.BUILT_IN);

    @Test
    void readsTheServerOfTheSpecification() {
        McpServer server = server("""
                [mcpServers.github]
                command = "github-mcp-server"
                args = ["stdio"]

                [mcpServers.github.capsem]
                enabled = true
                editable = true
                allowed_tools = ["search_repositories", "get_file_contents"]
                """);

        assertThat(server.enabled()).isTrue();
        assertThat(server.editable()).isTrue();
        assertThat(server.allowedTools()).containsExactly("search_repositories", "get_file_contents");
        assertThat(server.unsupportedStdio()).isTrue();
    }

    @Test
    void aProgramWithoutCapabilitiesIsTold() {
        assertThat(warnings("[mcpServers.github]\ncommand = \"github-mcp-server\"\n"))
                .singleElement()
                .asString()
                .contains("mcpServers.github is not started", "capabilities = [...]");
    }

    @Test
    void aBaseUrlThatIsTooLongIsTold() {
        String provider = "[ai.providers.%s]\nbase_url = \"https://models.example.com%s\"\n";

        assertThat(warnings(provider.formatted("google", "/v1beta")))
                .singleElement()
                .asString()
                .contains("base_url ends with /v1beta", "Write https://models.example.com.");
        assertThat(warnings(provider.formatted("anthropic", "/gw/v1/"))).hasSize(1);
        assertThat(warnings(provider.formatted("openai", "/v1/chat/completions")))
                .hasSize(1);
        assertThat(warnings(provider.formatted("openai", "/v1"))).isEmpty();
        assertThat(warnings(provider.formatted("google", ""))).isEmpty();
    }

    private static List<String> warnings(String more) {
        String head = "schema = \"capsem.profile.v2\"\nid = \"mine\"\n";
        Reading reading = ProfileReader.read(new SourceText("mine.toml", Layer.USER, head + more));
        assertThat(reading).isInstanceOf(Reading.Valid.class);
        return reading.problems().stream().map(Problem::toString).toList();
    }

    @Test
    void aProgramWithCapabilitiesIsSupported() {
        McpServer server = server("""
                [mcpServers.fetch]
                command = "fetch-server"
                [mcpServers.fetch.capsem]
                capabilities = ["net:connect:docs.example.com:443", "fs:read:/usr"]
                """);

        assertThat(server.unsupportedStdio()).isFalse();
        assertThat(server.isUsable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resolvers = []",
                "resolvers = [\"dns.example:53\"]",
                "resolvers = [\"192.0.2.300:53\"]",
                "resolvers = [\"192.0.2.1:0\"]",
                "resolvers = [\"192.0.2.1,192.0.2.2\", \"\"]",
                "upstream_proxy = \"https://proxy.example:1\"",
                "upstream_proxy = \"http://user:password@proxy.example:1\"",
                "upstream_proxy = \"http://proxy.example\"",
                "upstream_proxy = \"http://proxy.example:1/path\"",
                "upstream_proxy_credentials = \"user:password\"",
                "upstream_proxy_credentials = \"user:${secret:proxy}\"",
                "extra_ca = \"relative.pem\"",
                "client_certificates = \"/etc/ssl/me.pem\"",
                "client_certificates = { \"api.example.com\" = \"me.pem\" }",
                "client_certificates = { \"api.example.com\" = \"a ${secret:me}\" }",
                "client_certificates = { \"*.example.com\" = \"/etc/ssl/me.pem\" }",
                "client_certificates = { \"API.example.com\" = \"/etc/ssl/me.pem\" }",
                "proxy = \"http://proxy.example:1\""
            })
    void refusesWhatIsNoNetworkSetting(String line) {
        assertThat(Layers.faults(Layer.USER, "[network]\n" + line + "\n")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unwatched = \"allow\"", "unwatched = true", "unwached = \"wait\"", "timeout = 5"})
    void refusesWhatIsNoSettingOfQuestions(String line) {
        assertThat(Layers.faults(Layer.USER, "[approvals]\n" + line + "\n")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://x.example/",
                "https://user@x.example/",
                "https://x.example/?key=1",
                "x.example",
                "https://"
            })
    void refusesWhatIsNoBaseUrl(String url) {
        assertThat(Layers.faults(Layer.USER, "[ai.providers.openai]\nbase_url = \"" + url + "\"\n"))
                .hasSize(1);
    }

    @Test
    void reportsAllProblemsAtOnceWithTheirPlaces() {
        assertThat(Layers.faults(Layer.USER, """
                        vmm = 1
                        [vm]
                        ram_mb = 1
                        cpus = "two"
                        [vm.env]
                        LD_PRELOAD = "x"
                        [mcpServers.a__b]
                        url = "https://x.example/"
                        [mcpServers.both]
                        url = "https://x.example/"
                        command = "x"
                        [security.rules.http.first]
                        priority = -5
                        [security.rules.htp.second]
                        on = "http.request"
                        """))
                .containsExactly(
                        "3:1 unknown key vmm. Did you mean vm?",
                        "5:1 vm.ram_mb is from 256 to 16384.",
                        "6:1 vm.cpus is a whole number.",
                        "8:1 the variable LD_PRELOAD is refused: it changes what a shell or the loader runs.",
                        "9:1 a server's name holds no __, which stands between server and tool.",
                        "12:1 mcpServers.both has both command and url; it needs exactly one of them.",
                        "16:1 unknown key security.rules.htp. Did you mean http?",
                        "15:1 priority -5: rules of this source have from 1 to 999, or 1000 for a catch-all.");
    }

    @Test
    void aQuotaOfFilesHasItsBounds() {
        assertThat(Layers.faults(Layer.USER, "[vm]\ndisk_mb = 15\n"))
                .containsExactly("4:1 vm.disk_mb is from 16 to 1048576.");
        assertThat(Layers.faults(Layer.USER, "[vm]\ndisk_mb = 1048577\n")).hasSize(1);
        assertThat(Layers.faults(Layer.USER, "[vm]\ndisk_mb = 16\n")).isEmpty();
    }

    @Test
    void saysWhereTomlEnds() {
        assertThat(Layers.faults(Layer.USER, "[vm\n"))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("3:");
    }

    @ParameterizedTest
    @CsvSource({
        "CORP, -1000, true", "CORP, -1, true", "CORP, 0, false", "CORP, 1, false", "CORP, -1001, false",
        "CORP, 1000, true", "USER, 1, true", "USER, 999, true", "USER, 0, false", "USER, -1, false",
        "USER, 1000, true", "USER, 1001, false", "BUILT_IN, 999, true", "BUILT_IN, -1, false"
    })
    void eachLayerHasItsRangeOfPriorities(Layer layer, int priority, boolean accepted) {
        Reading reading = Layers.read(layer, "x", Layers.rule("r", "block", priority));

        assertThat(reading instanceof Reading.Valid).isEqualTo(accepted);
    }

    @Test
    void aRuleWithoutAPriorityHasOneAndIsNoCorpRule() {
        String rule = "[security.rules.http.r]\non = \"http.request\"\nif = 'true'\ndecision = \"block\"\n";

        assertThat(((RuleEntry) entries(rule).getFirst()).priority()).isEqualTo(1);
        assertThat(Layers.faults(Layer.CORP, rule))
                .containsExactly("4:1 without a priority this rule has 1; rules of this source have from -1000 to -1,"
                        + " or 1000 for a catch-all.");
    }

    @Test
    void hasOneCatchAllPerEvent() {
        assertThat(Layers.faults(Layer.USER, Layers.rule("a", "ask", 1000) + Layers.rule("b", "block", 1000)))
                .containsExactly("8:1 http.request already has a catch-all at user/x.toml:3:1.");
    }

    @Test
    void rulesHaveTheirOwnHeadersSoThatTheyCanBeCutOut() {
        assertThat(Layers.faults(Layer.USER, "[security.rules.http]\nr = { on = \"http.request\" }\n"))
                .containsExactly("4:1 write this rule under its own header [security.rules.http.r].");
    }

    @Test
    void cutsARuleOutByItsLines() {
        RuleEntry rule = (RuleEntry) entries("""
                        # before
                        [security.rules.http.r]
                        on = "http.request" # why
                        if = '''
                        [not.a.header]
                        '''
                        [vm]
                        cpus = 2
                        """).stream()
                .filter(RuleEntry.class::isInstance)
                .findFirst()
                .orElseThrow();

        assertThat(rule.text()).isEqualTo("""
                        [security.rules.http.r]
                        on = "http.request" # why
                        if = '''
                        [not.a.header]
                        '''
                        """);
        assertThat(rule.place().line()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "My Team", "-x", "a/b", "../x", "A"})
    void refusesIdsThatAreNoFileNames(String id) {
        assertThat(Layers.read(Layer.USER, id, "")).isInstanceOf(Reading.Invalid.class);
        assertThat(ProfileId.isValid(id)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bearerToken = \"abc\"",
                "headers = { Authorization = \"Bearer abc\" }",
                "headers = { X-Api-Key = \"abc\" }",
                "headers = { X-Team = \"ghp_0123456789abcdef\" }"
            })
    void refusesCredentialsInClearAndDoesNotRepeatThem(String line) {
        List<String> faults = Layers.faults(Layer.USER, "[mcpServers.x]\nurl = \"https://x.example/\"\n" + line + "\n");

        assertThat(faults).hasSize(1);
        assertThat(faults.getFirst()).contains("capsem secret set NAME").doesNotContain("abc");
    }

    @Test
    void takesCredentialsByReference() {
        assertThat(server("[mcpServers.x]\nurl = \"https://x.example/\"\nbearerToken = \"${secret:t}\"\n")
                        .credentialRefs())
                .hasToString("[Stored[name=t]]");
        assertThat(server("""
                                [mcpServers.x]
                                url = "https://x.example/"
                                [mcpServers.x.capsem]
                                credential_refs = ["t"]
                                """).credentialRefs()).hasToString("[Stored[name=t]]");
    }

    @Test
    void everyCredentialThatIsNamedGoesSomewhere() {
        assertThat(server("""
                                [mcpServers.x]
                                url = "https://x.example/"
                                headers = { "X-Team" = "blue" }
                                [mcpServers.x.capsem]
                                credential_refs = ["t"]
                                """).credentialRefs()).hasToString("[Stored[name=t]]");
        assertThat(server("""
                                [mcpServers.x]
                                command = "/usr/bin/x"
                                env = { OTHER = "${secret:other}" }
                                [mcpServers.x.capsem]
                                capabilities = ["net:connect:x.example:443"]
                                credential_refs = ["github-token", "other"]
                                """).transport())
                .isInstanceOfSatisfying(
                        ServerTransport.Stdio.class,
                        stdio -> assertThat(stdio.env())
                                .hasToString("{OTHER=${secret:other}, GITHUB_TOKEN=${secret:github-token}}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bearerToken = \"env:MY_TOKEN\"",
                "bearerToken = \"${env:MY_TOKEN}\"",
                "headers = { Authorization = \"Bearer ${env:MY_TOKEN}\" }"
            })
    void aVariableOfOtherClientsIsASecretOfThatName(String line) {
        assertThat(server("[mcpServers.x]\nurl = \"https://x.example/\"\n" + line + "\n")
                        .credentialRefs())
                .hasToString("[Stored[name=my_token]]");
    }

    @Test
    void sendsNoTokenInTheOpen() {
        String server = "[mcpServers.x]\nbearerToken = \"${secret:t}\"\nurl = ";

        assertThat(Layers.faults(Layer.USER, server + "\"http://x.example/\"\n"))
                .containsExactly("5:1 a token would travel unencrypted: use https, or a server on this machine.");
        assertThat(Layers.faults(Layer.USER, server + "\"http://127.0.0.1:3000/\"\n"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://x.example/",
                "https://",
                "https://user:pw@x.example/",
                "https://x.example/#f",
                "x.example",
                "https://${secret:t}.example/",
                "https://x.example${secret:t}/",
                "https://x example/"
            })
    void refusesAddressesThatAreNotPlain(String url) {
        assertThat(Layers.read(Layer.USER, "x", "[mcpServers.x]\nurl = \"" + url + "\"\n"))
                .isInstanceOf(Reading.Invalid.class);
    }

    @Test
    void refusesCapabilitiesThatDoNotCompile() {
        assertThat(Layers.faults(
                        Layer.USER,
                        "[mcpServers.x]\ncommand = \"x\"\n[mcpServers.x.capsem]\ncapabilities = [\"fs:read:etc\"]\n"))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("6:1 fs:read:etc: ");
    }

    @Test
    void saysWhereEnabledBelongs() {
        assertThat(Layers.faults(Layer.USER, "[mcpServers.x]\nurl = \"https://x.example/\"\nenabled = false\n"))
                .containsExactly("5:1 enabled belongs under [mcpServers.x.capsem].");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "applies_to = [\"coding\"]",
                "allowed_profiles = [\"coding\"]",
                "[[directives]]\noperation = \"remove\"\npath = \"vm.cpus\"",
                "[editable]\nvm = true"
            })
    void whatTheCompanySaysIsNotForUsers(String text) {
        assertThat(Layers.read(Layer.USER, "x", text)).isInstanceOf(Reading.Invalid.class);
    }

    @Test
    void aCorpPayloadCountsItsRevisions() {
        Reading reading = ProfileReader.read(
                new SourceText("corp.toml", Layer.CORP, "schema = \"capsem.profile.v2\"\nid = \"acme\"\n"));

        assertThat(reading.problems())
                .extracting(Problem::message)
                .first()
                .asString()
                .contains("revision");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "operation = \"add\"\npath = \"vm.cpus\"",
                "operation = \"remove\"\npath = \"vm.cpus\"\nvalue = 2",
                "operation = \"forbid\"\npath = \"mcpServers.x\"\nvalue = { url = \"https://x.example/\" }",
                "operation = \"drop\"\npath = \"vm.cpus\"",
                "operation = \"add\"\npath = \"vm.disk\"\nvalue = 2",
                "operation = \"add\"\npath = \"vm.cpus\"\nvalue = 99",
                "operation = \"add\"\npath = \"mcpServers.builtin\"\nvalue = { url = \"https://x.example/\" }",
                "operation = \"add\"\npath = \"security.rules.http.x\"\nvalue = { on = \"http.request\" }",
                "operation = \"add\"\npath = \"vm.env.LD_PRELOAD\"\nvalue = \"x\""
            })
    void refusesDirectivesThatMakeNoSense(String directive) {
        assertThat(Layers.read(Layer.CORP, "x", "[[directives]]\n" + directive + "\n"))
                .isInstanceOf(Reading.Invalid.class);
    }

    @Test
    void neverThrowsOnArbitraryText() {
        long seed = 20_260_402;
        Random random = new Random(seed);
        String[] words = {
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            "=",
            ".",
            ",",
            "\n",
            "\"",
            "'",
            "'''",
            "#",
            "schema",
            "id",
            "vm",
            "env",
            "mcpServers",
            "security",
            "rules",
            "http",
            "capsem",
            "directives",
            "value",
            "priority",
            "editable",
            "import",
            "true",
            "-1",
            "1e9",
            "99999999999999999999",
            "1979-05-27",
            "${secret:",
            "}",
            "\\u0000",
            "\u0000",
            "\ud800",
            "é",
            "x",
            " "
        };
        for (int i = 0; i < 1_500; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(60); n >= 0; n--) {
                text.append(words[random.nextInt(words.length)]);
            }
            Layer layer = LAYERS.get(random.nextInt(LAYERS.size()));

            Reading reading = ProfileReader.read(new SourceText("x", layer, text.toString()));

            assertThat(reading.problems()).as("seed %d, round %d", seed, i).isNotNull();
        }
    }

    @Test
    void neverThrowsOnDamagedProfiles() {
        long seed = 20_260_403;
        Random random = new Random(seed);
        String whole = "schema = \"capsem.profile.v2\"\nid = \"x\"\nrevision = 1\n[vm]\ncpus = 2\n[vm.env]\nA = \"b\"\n"
                + "[mcpServers.x]\nurl = \"https://x.example/\"\n[mcpServers.x.capsem]\nallowed_tools = [\"a\"]\n"
                + Layers.rule("r", "block", -1)
                + "[[directives]]\noperation = \"lock\"\npath = \"security.rules.http.r\"\n[directives.value]\non = 3\n";
        for (int i = 0; i < 1_500; i++) {
            StringBuilder text = new StringBuilder(whole);
            for (int edits = random.nextInt(4); edits >= 0; edits--) {
                int at = random.nextInt(text.length());
                text.replace(
                        at,
                        Math.min(text.length(), at + random.nextInt(10)),
                        "[]{}=\".,\n".substring(random.nextInt(9)));
            }

            Reading reading = ProfileReader.read(new SourceText("x", Layer.CORP, text.toString()));

            assertThat(reading.problems()).as("seed %d, round %d", seed, i).isNotNull();
        }
    }

    private static List<Entry> entries(String text) {
        return Layers.valid(Layer.USER, "x", text).entries();
    }

    private static McpServer server(String text) {
        return ((ServerEntry) entries(text).getFirst()).server();
    }
}
