package dev.capsem.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuggestionTest {
    private static final List<String> KNOWN = List.of("allow", "ask", "block", "rewrite");

    @Test
    void findsWordsThatAreASlipAway() {
        assertThat(Suggestion.nearest("blcok", KNOWN)).contains("block");
        assertThat(Suggestion.nearest("BLOCK", KNOWN)).contains("block");
        assertThat(Suggestion.nearest("rewrit", KNOWN)).contains("rewrite");
    }

    @Test
    void leavesFarWordsAlone() {
        assertThat(Suggestion.nearest("deny", KNOWN)).isEmpty();
        assertThat(Suggestion.nearest("", KNOWN)).isEmpty();
        assertThat(Suggestion.didYouMean("deny", KNOWN)).isEmpty();
    }

    @Test
    void ofEquallyNearWordsTheFirstInOrderIsTaken() {
        assertThat(Suggestion.nearest("cat", List.of("hat", "bat"))).contains("bat");
    }

    @Test
    void namesAllThatIsKnownWhereNothingIsNear() {
        assertThat(Suggestion.didYouMeanOneOf("alow", KNOWN)).isEqualTo(" Did you mean allow?");
        assertThat(Suggestion.didYouMeanOneOf("deny", KNOWN)).isEqualTo(" Known: allow, ask, block, rewrite.");
    }
}
