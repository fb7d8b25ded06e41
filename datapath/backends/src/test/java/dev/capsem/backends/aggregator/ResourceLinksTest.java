package dev.capsem.backends.aggregator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/// An address that a client gets from us is one that it can read through us.
class ResourceLinksTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'contents':[{'uri':'@','text':'x'},{'uri':'@','blob':''}]}",
                "{'content':[{'type':'resource_link','uri':'@','name':'n'},{'type':'text','text':'uri'}]}",
                "{'content':[{'type':'resource','resource':{'uri':'@','text':'x'}}],'structuredContent':{'uri':'own'}}",
                "{'messages':[{'role':'user','content':{'type':'resource','resource':{'uri':'@'}}}]}",
                "{'messages':[{'role':'user','content':[{'type':'resource_link','uri':'@'}]}]}",
                "{'messages':[{'content':[{'type':'tool_result','content':[{'type':'resource_link','uri':'@'}]}]}]}"
            })
    void everyAddressCarriesTheServersName(String message) {
        ObjectNode named = ResourceLinks.namespaced("docs", tree(message, "demo://a/1"));

        assertThat(named).isEqualTo(tree(message, "capsem://docs/demo://a/1"));
        assertThat(Namespace.splitUri("capsem://docs/demo://a/1")).contains(new Namespace.Split("docs", "demo://a/1"));
    }

    @Test
    void aServerCannotPointAtAnotherOnesResource() {
        ObjectNode result = tree("{'contents':[{'uri':'@'}]}", "capsem://bank/secret://1");

        assertThat(ResourceLinks.namespaced("evil", result))
                .isEqualTo(tree("{'contents':[{'uri':'@'}]}", "capsem://evil/capsem://bank/secret://1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'contents':'none','content':{},'messages':[1,null,{'content':[[]]}]}",
                "{'content':[{'type':'resource_link'},{'type':'resource','resource':3},{'type':'resource_link','uri':''}]}",
                "{'content':[{'type':'text','text':'t','uri':'demo://a'}],'structuredContent':{'uri':'demo://a'}}"
            })
    void whatIsNoAddressStaysAsItIs(String message) {
        ObjectNode given = tree(message, "");

        assertThat(ResourceLinks.namespaced("docs", given)).isSameAs(given);
    }

    private static ObjectNode tree(String text, String uri) {
        return (ObjectNode) Json.parse(text.replace('\'', '"').replace("@", uri));
    }
}
