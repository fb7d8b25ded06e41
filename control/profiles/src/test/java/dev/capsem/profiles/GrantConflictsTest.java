package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.profiles.grant.ProfileGrant;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrantConflictsTest {
    private static String grant(String name, String more) {
        return "[[grant]]\nname = \"" + name
                + "\"\nhosts = [\"api.example.com\"]\nplaces = [\"header:authorization\"]\n" + more + "\n";
    }

    private static String inside(String name, String variable) {
        return grant(name, "secret = \"${secret:" + name + "}\"\nenv = \"" + variable + "\"");
    }

    private static String set(String name, String hosts) {
        return grant(name, "mode = \"set\"\nsecret = \"${secret:" + name + "}\"")
                .replace("[\"api.example.com\"]", hosts);
    }

    private static Layers layers() {
        return new Layers().builtIn("coding", "");
    }

    @Test
    void twoGrantsForOneHostStandBesideEachOther() {
        EffectiveProfile profile =
                layers().user("coding", inside("a", "A") + inside("b", "B")).resolve("coding");

        assertThat(profile.grants()).extracting(ProfileGrant::name).containsExactly("a", "b");
    }

    @Test
    void theEffectiveProfileIsReadAgain() {
        EffectiveProfile profile = layers().user("coding", inside("a", "A")).resolve("coding");

        assertThat(EffectiveJson.read(EffectiveJson.write(profile)))
                .isInstanceOfSatisfying(
                        EffectiveJson.Read.Ok.class,
                        read -> assertThat(read.profile().grants()).isEqualTo(profile.grants()));
    }

    @Test
    void twoGrantsThatSetOnePlaceOfOneHostAreRefused() {
        assertThat(refused(set("a", "[\"api.example.com\"]") + set("b", "[\"*.example.com\"]")))
                .anySatisfy(message ->
                        assertThat(message).contains("grant.a and grant.b both set header:authorization of one host"));
    }

    @Test
    void twoGrantsThatSetOnePlaceOfTwoHostsAreFine() {
        EffectiveProfile profile = layers().user(
                        "coding", set("a", "[\"api.example.com\"]") + set("b", "[\"*.example.org\"]"))
                .resolve("coding");

        assertThat(profile.grants()).hasSize(2);
    }

    @Test
    void twoGrantsInOneVariableAreRefused() {
        assertThat(refused(inside("a", "KEY") + inside("b", "KEY")))
                .anySatisfy(message -> assertThat(message).contains("both have env = \"KEY\""));
    }

    @Test
    void aVariableOfTheProfileIsInTheWay() {
        assertThat(refused("[vm.env]\nKEY = \"x\"\n" + inside("a", "KEY")))
                .anySatisfy(message -> assertThat(message).contains("set by vm.env"));
    }

    @Test
    void aPersonCannotSendTheCompanysCredentialElsewhere() {
        EffectiveProfile profile = layers().corp("acme", inside("a", "A"))
                .user("coding", inside("a", "B") + inside("wide", "C").replace("${secret:wide}", "${secret:a}"))
                .resolve("coding");

        assertThat(profile.grants())
                .singleElement()
                .satisfies(grant -> assertThat(grant.variable()).contains("A"));
        assertThat(profile.notices())
                .extracting(notice -> notice.message())
                .anySatisfy(message -> assertThat(message).contains("grant.wide is not used: your company grants"));
    }

    @Test
    void aCompanyMayCloseGrantsOrForbidOne() {
        assertThat(layers().corp("acme", "[editable]\ngrants = false\n")
                        .user("coding", inside("a", "A"))
                        .resolve("coding")
                        .grants())
                .isEmpty();
        assertThat(layers().corp("acme", "[[directives]]\noperation = \"forbid\"\npath = \"grant.a\"\n")
                        .user("coding", inside("a", "A") + inside("b", "B"))
                        .resolve("coding")
                        .grants())
                .extracting(ProfileGrant::name)
                .containsExactly("b");
    }

    @Test
    void aCompanyMayReplaceOne() {
        String value = """
                [directives.value]
                name = "a"
                secret = "${secret:a}"
                hosts = ["a.example.com"]
                places = ["basic"]
                env = "A"
                """;

        assertThat(layers().corp("acme", "[[directives]]\noperation = \"lock\"\npath = \"grant.a\"\n" + value)
                        .user("coding", inside("a", "A"))
                        .resolve("coding")
                        .grants())
                .singleElement()
                .satisfies(grant -> assertThat(grant.grant().hosts()).containsExactly("a.example.com"));
    }

    private static List<String> refused(String more) {
        return layers().user("coding", more).refusal("coding");
    }
}
