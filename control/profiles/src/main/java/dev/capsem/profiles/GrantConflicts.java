package dev.capsem.profiles;

import dev.capsem.profiles.file.Entry.GrantEntry;
import dev.capsem.profiles.file.Setting;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.source.Layer;
import dev.capsem.source.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Looks at all grants of a profile together. Two that would be in each other's way are an error: one of them would
/// be without effect, and nobody would notice. A person cannot send a company's credential to other places.
final class GrantConflicts {
    private final Map<String, OwnedEntry> entries;
    private final Problems problems;

    GrantConflicts(Map<String, OwnedEntry> entries, Problems problems) {
        this.entries = entries;
        this.problems = problems;
    }

    void settle() {
        keepTheCompanys();
        List<GrantEntry> grants = grants();
        Map<String, GrantEntry> insides = new HashMap<>();
        for (GrantEntry entry : grants) {
            ProfileGrant grant = entry.grant();
            grant.variable().ifPresent(name -> {
                same(entry, insides.putIfAbsent("env " + name, entry), "env = \"" + name + "\"");
                Optional.ofNullable(entries.get(Setting.ENVIRONMENT + name))
                        .ifPresent(other -> problems.error(
                                entry.place(),
                                "the variable " + name + " of " + entry.path() + " is set by vm.env at "
                                        + other.entry().place() + " already; remove one."));
            });
            grant.file()
                    .ifPresent(file -> same(
                            entry,
                            insides.putIfAbsent("file " + file.path(), entry),
                            "file = \"" + file.path() + "\""));
        }
        for (int i = 0; i < grants.size(); i++) {
            for (int j = i + 1; j < grants.size(); j++) {
                writers(grants.get(i), grants.get(j));
            }
        }
    }

    private List<GrantEntry> grants() {
        List<GrantEntry> grants = new ArrayList<>();
        entries.values().forEach(owned -> {
            if (owned.entry() instanceof GrantEntry grant) {
                grants.add(grant);
            }
        });
        return grants;
    }

    /// A grant of a person for a credential that the company grants would loosen what the company said.
    private void keepTheCompanys() {
        Map<String, GrantEntry> companys = new HashMap<>();
        entries.values().forEach(owned -> {
            if (owned.entry() instanceof GrantEntry grant && owned.provenance().layer() == Layer.CORP) {
                companys.putIfAbsent(grant.grant().source().text(), grant);
            }
        });
        entries.values().removeIf(owned -> {
            GrantEntry theirs = owned.entry() instanceof GrantEntry grant
                            && owned.provenance().layer() != Layer.CORP
                    ? companys.get(grant.grant().source().text())
                    : null;
            if (theirs != null) {
                problems.warning(
                        owned.entry().place(),
                        owned.entry().path() + " is not used: your company grants that credential at " + theirs.place()
                                + ".");
            }
            return theirs != null;
        });
    }

    private void same(GrantEntry entry, @Nullable GrantEntry other, String what) {
        if (other != null) {
            problems.error(
                    entry.place(), entry.path() + " and " + other.path() + " both have " + what + "; change one.");
        }
    }

    private void writers(GrantEntry one, GrantEntry other) {
        boolean isSame = one.grant().isSet()
                && other.grant().isSet()
                && Objects.equals(
                        one.grant().grant().places(), other.grant().grant().places())
                && overlap(one.grant().grant().hosts(), other.grant().grant().hosts());
        if (isSame) {
            problems.error(
                    other.place(),
                    one.path() + " and " + other.path() + " both set "
                            + one.grant().grant().places().getFirst().text() + " of one host; keep one of them.");
        }
    }

    private static boolean overlap(List<String> some, List<String> others) {
        return some.stream()
                .anyMatch(one -> others.stream().anyMatch(other -> covers(one, other) || covers(other, one)));
    }

    private static boolean covers(String pattern, String host) {
        return pattern.equals(host) || (pattern.startsWith("*.") && host.endsWith(pattern.substring(1)));
    }
}
