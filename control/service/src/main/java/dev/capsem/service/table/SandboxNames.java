package dev.capsem.service.table;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.SandboxId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/// Names that people may give, and names for those who give none: `<adjective>-<noun>-tmp`.
public final class SandboxNames {
    private static final List<String> ADJECTIVES = List.of(
            "agile", "amber", "ample", "apt", "autumn", "azure", "balmy", "bold", "brave", "breezy", "brief", "bright",
            "brisk", "calm", "candid", "clean", "clear", "clever", "cobalt", "cool", "coral", "cosmic", "crisp",
            "dapper", "daring", "deep", "deft", "eager", "early", "earnest", "easy", "even", "exact", "fair", "fancy",
            "fast", "fine", "firm", "fleet", "fond", "frank", "free", "fresh", "gentle", "glad", "golden", "grand",
            "green", "happy", "hardy", "hazel", "honest", "humble", "icy", "ideal", "ivory", "jade", "jolly", "keen",
            "kind", "large", "late", "level", "light", "lively", "local", "loyal", "lucid", "lucky", "lunar", "major",
            "maple", "mellow", "merry", "mild", "misty", "modest", "mossy", "neat", "new", "nimble", "noble", "novel",
            "oaken", "olive", "open", "opal", "patient", "pine", "plain", "polar", "polite", "prime", "proud", "pure",
            "quick", "quiet", "rapid", "ready", "regal", "rosy", "round", "royal", "ruby", "rustic", "sage", "sandy",
            "serene", "sharp", "silent", "silver", "sleek", "smart", "smooth", "snowy", "solar", "solid", "spry",
            "stable", "steady", "still", "sturdy", "sunny", "super", "sure", "swift", "tall", "teal", "tidy", "topaz",
            "true", "upbeat", "urban", "vast", "velvet", "vivid", "warm", "whole", "wide", "wise", "witty", "young",
            "zesty");
    private static final List<String> NOUNS = List.of(
            "acorn", "anchor", "arch", "atlas", "badger", "basin", "bay", "beacon", "beaver", "birch", "bison", "brook",
            "canyon", "cedar", "cliff", "cloud", "comet", "crane", "creek", "delta", "dune", "eagle", "elk", "ember",
            "falcon", "fern", "finch", "fjord", "forest", "fox", "garnet", "geyser", "glade", "grove", "harbor", "hare",
            "hawk", "heron", "hill", "ibis", "inlet", "island", "jay", "kelp", "lagoon", "lake", "lark", "lynx",
            "marsh", "meadow", "mesa", "moon", "moose", "oak", "ocean", "orbit", "osprey", "otter", "owl", "panda",
            "peak", "pebble", "pine", "plover", "pond", "puffin", "quartz", "raven", "reef", "ridge", "river", "robin",
            "sable", "seal", "shore", "sparrow", "spruce", "star", "stork", "summit", "swan", "tern", "thicket",
            "tiger", "trail", "trout", "tundra", "valley", "walrus", "whale", "willow", "wren");
    private static final int TRIES_MAX = 1_000;

    private SandboxNames() {}

    public static SandboxId check(String name) {
        if (!SandboxId.isValid(name)) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_NAME,
                    "not a sandbox name",
                    "use 1 to 64 of A-Z a-z 0-9 - _, the first a letter or digit");
        }
        return new SandboxId(name);
    }

    /// A name whose first word no existing name begins with, so that people can type the beginning and mean
    /// one sandbox.
    public static SandboxId invent(RandomGenerator random, Collection<String> existing) {
        Set<String> firstWords =
                existing.stream().map(name -> name.split("-", 2)[0]).collect(Collectors.toSet());
        for (int i = 0; i < TRIES_MAX; i++) {
            String adjective = pick(random, ADJECTIVES);
            boolean exhausted = firstWords.size() >= ADJECTIVES.size() / 2;
            String name = adjective + "-" + pick(random, NOUNS) + "-tmp";
            if (exhausted ? !existing.contains(name) : !firstWords.contains(adjective)) {
                return new SandboxId(name);
            }
        }
        throw new IllegalStateException("no free name among " + existing.size() + " sandboxes");
    }

    private static String pick(RandomGenerator random, List<String> words) {
        return words.get(random.nextInt(words.size()));
    }
}
