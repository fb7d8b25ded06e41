package dev.capsem.security;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Key;
import dev.capsem.security.rule.Rule;
import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Unknown;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The rules of one event type, found by what they demand of host, tool, server or provider. It leaves out
/// only rules that cannot match, so it never changes a decision.
final class RuleIndex {
    private final List<Rule> rules;
    private final int[] unkeyed;
    private final int[] everything;
    private final boolean[] countsInside;
    private final List<FieldKeys> fields;

    /// @param rules in the order in which they are asked
    RuleIndex(List<Rule> rules) {
        this.rules = List.copyOf(rules);
        List<Integer> without = new ArrayList<>();
        Map<Field, FieldKeys.Builder> builders = new LinkedHashMap<>();
        this.everything = new int[rules.size()];
        this.countsInside = new boolean[rules.size()];
        for (int position = 0; position < rules.size(); position++) {
            everything[position] = position;
            Rule rule = rules.get(position);
            countsInside[position] = rule.decision() == Decision.BLOCK || rule.speaksOfAddresses();
            Optional<List<Key>> keys = rules.get(position).condition().facts().keys();
            if (keys.isEmpty()) {
                without.add(position);
                continue;
            }
            for (Key key : keys.get()) {
                builders.computeIfAbsent(key.field(), FieldKeys.Builder::new).add(key, position);
            }
        }
        this.unkeyed = without.stream().mapToInt(Integer::intValue).toArray();
        this.fields = builders.values().stream().map(FieldKeys.Builder::build).toList();
    }

    Rule rule(int position) {
        return rules.get(position);
    }

    List<Rule> rules() {
        return rules;
    }

    /// Whether the rule at that position counts for an event. At an address that is not public only those do which
    /// block, or which speak of addresses: a rule about a name must not open what the name happens to lead to.
    boolean counts(int position, SecurityEvent event) {
        return countsInside[position] || !(event instanceof HttpRequest request && request.leadsInside());
    }

    /// Positions of the rules that may match, in order.
    Candidates candidates(Frame frame) {
        Candidates candidates = new Candidates();
        candidates.add(unkeyed);
        for (FieldKeys keys : fields) {
            if (!keys.collect(frame, candidates)) {
                return all();
            }
        }
        return candidates;
    }

    /// Positions of all rules, in order: what the index must agree with.
    Candidates all() {
        Candidates candidates = new Candidates();
        candidates.add(everything);
        return candidates;
    }

    /// Merges sorted lists of positions, each position once.
    static final class Candidates {
        private int[][] lists = new int[8][];
        private int[] heads = new int[8];
        private int count;

        void add(int[] positions) {
            if (positions.length == 0) {
                return;
            }
            if (count == lists.length) {
                lists = Arrays.copyOf(lists, count * 2);
                heads = Arrays.copyOf(heads, count * 2);
            }
            lists[count++] = positions;
        }

        /// The next position, or -1.
        int next() {
            int smallest = Integer.MAX_VALUE;
            for (int i = 0; i < count; i++) {
                if (heads[i] < lists[i].length && lists[i][heads[i]] < smallest) {
                    smallest = lists[i][heads[i]];
                }
            }
            for (int i = 0; i < count; i++) {
                if (heads[i] < lists[i].length && lists[i][heads[i]] == smallest) {
                    heads[i]++;
                }
            }
            return smallest == Integer.MAX_VALUE ? -1 : smallest;
        }
    }

    /// The keys on one field.
    private record FieldKeys(Field field, Map<String, int[]> equal, Trie suffixes, Trie prefixes) {
        /// False if the value is not there to look up, so that any of the rules might match.
        boolean collect(Frame frame, Candidates candidates) {
            Object value = frame.read(field);
            if (value instanceof Unknown unknown) {
                return !unknown.isOpen();
            }
            if (value instanceof String text) {
                int[] same = equal.get(text);
                if (same != null) {
                    candidates.add(same);
                }
                suffixes.collect(text, true, candidates);
                prefixes.collect(text, false, candidates);
            }
            return true;
        }

        static final class Builder {
            private final Field field;
            private final Map<String, List<Integer>> equal = new HashMap<>();
            private final Map<String, List<Integer>> suffixes = new HashMap<>();
            private final Map<String, List<Integer>> prefixes = new HashMap<>();

            Builder(Field field) {
                this.field = field;
            }

            void add(Key key, int position) {
                List<Integer> positions = switch (key.kind()) {
                    case EQUALS -> equal.computeIfAbsent(key.text(), _ -> new ArrayList<>());
                    case ENDS_WITH ->
                        suffixes.computeIfAbsent(
                                new StringBuilder(key.text()).reverse().toString(), _ -> new ArrayList<>());
                    case STARTS_WITH -> prefixes.computeIfAbsent(key.text(), _ -> new ArrayList<>());
                };
                if (positions.isEmpty() || positions.getLast() != position) {
                    positions.add(position);
                }
            }

            FieldKeys build() {
                Map<String, int[]> same = HashMap.newHashMap(equal.size());
                equal.forEach((text, positions) -> same.put(text, array(positions)));
                return new FieldKeys(field, same, Trie.of(suffixes), Trie.of(prefixes));
            }

            private static int[] array(List<Integer> positions) {
                return positions.stream().mapToInt(Integer::intValue).toArray();
            }
        }
    }

    /// Texts by their characters, so that all that a value starts with are found in one walk.
    private static final class Trie {
        private static final int[] NONE = {};

        private final Map<Character, Trie> next = new HashMap<>();
        private int[] positions = NONE;

        static Trie of(Map<String, List<Integer>> texts) {
            Trie root = new Trie();
            texts.forEach((text, positions) -> {
                Trie at = root;
                for (int i = 0; i < text.length(); i++) {
                    at = at.next.computeIfAbsent(text.charAt(i), _ -> new Trie());
                }
                at.positions = FieldKeys.Builder.array(positions);
            });
            return root;
        }

        void collect(String text, boolean fromEnd, Candidates candidates) {
            Trie at = this;
            candidates.add(at.positions);
            for (int i = 0; i < text.length() && !at.next.isEmpty(); i++) {
                Trie below = at.next.get(text.charAt(fromEnd ? text.length() - 1 - i : i));
                if (below == null) {
                    return;
                }
                at = below;
                candidates.add(at.positions);
            }
        }
    }
}
