package dev.capsem.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LayerTest {
    @Test
    void nobodyGetsInFrontOfTheCompany() {
        for (Layer layer : Layer.values()) {
            assertThat(layer.acceptsPriority(-1)).as(layer.name()).isEqualTo(layer == Layer.CORP);
        }
        assertThat(Layer.CORP.acceptsPriority(0)).isFalse();
        assertThat(Layer.CORP.acceptsPriority(-1001)).isFalse();
    }

    @Test
    void onlyLayersThatPeopleWriteHaveCatchAlls() {
        assertThat(Layer.values())
                .filteredOn(layer -> layer.acceptsPriority(Layer.CATCH_ALL))
                .containsExactly(Layer.CORP, Layer.USER, Layer.BUILT_IN);
        assertThat(Layer.USER.priorities()).isEqualTo("from 1 to 999, or 1000 for a catch-all");
        assertThat(Layer.DERIVED.priorities()).isEqualTo("0");
    }

    @Test
    void isFoundByItsName() {
        for (Layer layer : Layer.values()) {
            assertThat(Layer.named(layer.wireName())).contains(layer);
        }
        assertThat(Layer.named("USER")).isEmpty();
    }
}
