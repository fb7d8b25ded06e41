package dev.capsem.profiles.grant;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import dev.capsem.profiles.grant.ProfileGrant.PlacedFile;
import dev.capsem.profiles.secret.SecretName;
import dev.capsem.source.tree.Fields;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/// Reads one `[[grant]]` of a profile, or the same as JSON. Reports all problems at once.
public final class GrantReader {
    /// Where a text around a credential has it.
    public static final String VALUE = "{}";

    static final int HOSTS_MAX = 32;
    static final int PLACES_MAX = 16;

    private static final List<String> KEYS = List.of(
            "name",
            "secret",
            "hosts",
            "places",
            "methods",
            "paths",
            "mode",
            "env",
            "file",
            "text",
            "format",
            "shape",
            "occurrences",
            "plain_http");
    /// `*.com` would be half the world.
    private static final Pattern TOO_WIDE = Pattern.compile("\\*\\.[^.]*");

    private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z0-9_-]{0,31}");
    private static final Pattern PATH = Pattern.compile("/[!-~]{0,1023}");
    private static final Pattern FILE = Pattern.compile("/root(/(?!\\.\\.?(/|$))[^/\\p{Cntrl}]{1,255}){1,32}");
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_.-]{1,40}");
    private static final Pattern TEXT = Pattern.compile("[\\n\\t\\P{Cntrl}]{2,16384}");

    private final Fields table;
    private final Function<String, Optional<String>> variableFault;
    private boolean valid = true;

    private GrantReader(Fields table, Function<String, Optional<String>> variableFault) {
        this.table = table;
        this.variableFault = variableFault;
    }

    /// Empty if something is wrong with it, which is then among the problems.
    ///
    /// @param variableFault says why a variable may not be set
    public static Optional<ProfileGrant> read(Fields table, Function<String, Optional<String>> variableFault) {
        return new GrantReader(table, variableFault).read();
    }

    private Optional<ProfileGrant> read() {
        table.refuseUnknown(KEYS);
        Optional<String> name = table.text("name").filter(SecretName::isValid);
        if (name.isEmpty()) {
            fault("name", "a grant has a name of " + SecretName.FORM + ".");
        }
        Optional<GrantSource> source = SourceReader.read(table, "secret");
        List<String> hosts = hosts();
        List<SecretPlace> places = places();
        List<String> methods = matching("methods", METHOD, "a method is written in capitals, such as \"POST\".");
        List<String> paths = matching("paths", PATH, "a path begins with /, such as \"/v1/*\"; * is any text.");
        GrantMode mode = mode();
        Optional<String> format = mode == GrantMode.SET ? set(places) : Optional.empty();
        Optional<PlacedFile> file = mode == GrantMode.PLACEHOLDER ? inside() : Optional.empty();
        int occurrences = (int)
                table.integer("occurrences", 1, SecretGrant.OCCURRENCES_MAX).orElse(1);
        boolean allowsPlainHttp = table.flag("plain_http").orElse(false);
        return valid && name.isPresent() && source.isPresent()
                ? Optional.of(new ProfileGrant(
                        new SecretGrant(
                                name.get(),
                                hosts,
                                places,
                                Set.copyOf(methods),
                                paths,
                                mode,
                                format,
                                occurrences,
                                allowsPlainHttp),
                        source.get(),
                        table.text("env"),
                        file,
                        table.text("shape")))
                : Optional.empty();
    }

    private void fault(String key, String message) {
        table.error(key, message);
        valid = false;
    }

    private List<String> hosts() {
        List<String> hosts = table.texts("hosts");
        if (hosts.isEmpty() || hosts.size() > HOSTS_MAX) {
            fault("hosts", "hosts are 1 to " + HOSTS_MAX + " names, such as [\"api.example.com\"].");
        }
        for (String host : hosts) {
            if (!SecretGrant.isHost(host) || TOO_WIDE.matcher(host).matches()) {
                fault(
                        "hosts",
                        "a host is a name in lower case without a port, or *.example.com for all names below"
                                + " example.com. * alone would send the credential everywhere.");
            }
        }
        return hosts;
    }

    private List<SecretPlace> places() {
        List<String> texts = table.texts("places");
        if (texts.isEmpty() || texts.size() > PLACES_MAX) {
            fault("places", "places are 1 to " + PLACES_MAX + ", such as [\"header:authorization\"].");
        }
        List<SecretPlace> places = new ArrayList<>();
        for (String text : texts) {
            switch (SecretPlace.parse(text)) {
                case SecretPlace.Parsed.Read(SecretPlace place) -> places.add(place);
                case SecretPlace.Parsed.Unfit(String reason) -> fault("places", reason + ".");
            }
        }
        if (new HashSet<>(places).size() < places.size()) {
            fault("places", "one place stands there twice.");
        }
        return places;
    }

    private List<String> matching(String key, Pattern form, String message) {
        List<String> texts = table.texts(key);
        if (!texts.stream().allMatch(text -> form.matcher(text).matches())) {
            fault(key, message);
        }
        return texts;
    }

    private GrantMode mode() {
        String mode = table.text("mode").orElse("placeholder");
        if (!List.of("placeholder", "set").contains(mode)) {
            fault("mode", "mode is \"placeholder\" (a stand-in inside) or \"set\" (nothing inside).");
        }
        return mode.equals("set") ? GrantMode.SET : GrantMode.PLACEHOLDER;
    }

    /// The format, if there is one.
    private Optional<String> set(List<SecretPlace> places) {
        for (String key : List.of("env", "file", "text", "shape", "occurrences")) {
            if (table.has(key)) {
                fault(key, key + " is for mode \"placeholder\": in mode \"set\" the sandbox has nothing.");
            }
        }
        if (!SecretGrant.isSettable(places)) {
            fault("places", "mode \"set\" writes exactly one place: header:NAME, basic or query:NAME.");
        }
        Optional<String> format = table.text("format");
        if (format.isPresent() && !SecretGrant.isFormat(format.get())) {
            fault("format", "format is a text with {} once, such as \"Bearer {}\".");
        }
        return format;
    }

    /// The file, if there is one.
    private Optional<PlacedFile> inside() {
        if (table.has("format")) {
            fault("format", "format is for mode \"set\"; a stand-in is replaced where it stands.");
        }
        Optional<String> variable = table.text("env");
        variable.flatMap(variableFault).ifPresent(message -> fault("env", message));
        Optional<String> path = table.text("file");
        if (path.isPresent() && !FILE.matcher(path.get()).matches()) {
            fault("file", "file is a path below /root, such as \"/root/.netrc\".");
        }
        if (variable.isEmpty() && path.isEmpty()) {
            fault("name", "programs inside must find the stand-in: give env or file, or use mode = \"set\".");
        }
        Optional<String> shape = table.text("shape");
        if (shape.isPresent() && !SHAPE.matcher(shape.get()).matches()) {
            fault("shape", "shape is what the stand-in begins with: 1 to 40 letters, digits, _ . and -.");
        }
        return path.map(there -> new PlacedFile(there, text().orElse(VALUE + "\n")));
    }

    private Optional<String> text() {
        Optional<String> text = table.text("text");
        boolean isRight = text.isEmpty()
                || (TEXT.matcher(text.get()).matches()
                        && text.get().contains(VALUE)
                        && text.get().indexOf(VALUE) == text.get().lastIndexOf(VALUE));
        if (!isRight) {
            fault("text", "text is the file's content, with {} once for the stand-in.");
        }
        return text;
    }
}
