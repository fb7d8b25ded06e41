package dev.capsem.policy.review;

import dev.capsem.policy.binds.BindPlan;
import dev.capsem.policy.diagnostic.Location;
import dev.capsem.policy.grammar.Capability;
import dev.capsem.policy.grammar.CapabilityParser;
import dev.capsem.policy.grammar.EnvAction;
import dev.capsem.policy.grammar.FsAction;
import dev.capsem.policy.grammar.FsPath;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.grammar.Refinements;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.manifest.Grant;
import dev.capsem.policy.manifest.Manifest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Looks for grants that a reviewer should question. It never infers a grant and never changes one.
public final class Lint {
    private static final Set<String> SHELLS =
            Set.of("sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh", "busybox", "ash", "pwsh");
    private static final Pattern INTERPRETERS =
            Pattern.compile("(python|node|perl|ruby|php|lua|deno|bun|java|Rscript|tclsh|awk|gawk|osascript)[0-9.]*");
    private static final Set<String> PRIVILEGED = Set.of(
            "sudo",
            "su",
            "doas",
            "pkexec",
            "docker",
            "podman",
            "nerdctl",
            "kubectl",
            "nsenter",
            "unshare",
            "systemctl",
            "mount",
            "env",
            "xargs",
            "ssh");
    private static final Set<String> LOADERS = Set.of(
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "BASH_ENV",
            "ENV",
            "PATH",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "PERL5LIB",
            "PERL5OPT",
            "RUBYOPT",
            "RUBYLIB",
            "JAVA_TOOL_OPTIONS",
            "GIT_SSH_COMMAND",
            "GCONV_PATH",
            "IFS");
    private static final Pattern SECRET_NAME = Pattern.compile(
            ".*(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_KEY|_PAT|_KEY)(_.*)?");
    private static final Pattern HOME = Pattern.compile("/home(/[^/]+)?|/root|/Users(/[^/]+)?");
    private static final Pattern SENSITIVE = Pattern.compile(
            "/(etc|proc|sys|dev|boot|run|var/run|var/lib/docker|usr)|.*/\\.(ssh|aws|gnupg|kube|docker|netrc|config)(/.*)?");
    private static final Pattern DOTTED_DIRECTORY = Pattern.compile(".*[^/]\\.([0-9]+|d|git|app|framework|venv)");
    private static final Pattern READER = Pattern.compile("(read|get|list|search|show|find|query|describe)[_-].*");
    private static final Set<String> METADATA_NAMES =
            Set.of("metadata.google.internal", "metadata", "instance-data", "metadata.azure.internal");

    private final Manifest manifest;
    private final List<Grant> grants;
    private final Policy policy;
    private final List<ReviewFinding> findings = new ArrayList<>();

    private Lint(Manifest manifest, List<Grant> grants, Policy policy) {
        this.manifest = manifest;
        this.grants = grants;
        this.policy = policy;
    }

    public static List<ReviewFinding> check(Manifest manifest, List<Grant> grants, Policy policy) {
        Lint lint = new Lint(manifest, grants, policy);
        grants.forEach(lint::check);
        lint.checkManifest();
        return List.copyOf(lint.findings);
    }

    private void check(Grant grant) {
        switch (grant.capability()) {
            case Capability.Fs fs -> fs(grant, fs);
            case Capability.Net net -> net(grant, net);
            case Capability.Exec exec -> exec(grant, exec.binary());
            case Capability.Env env -> env(grant, env);
            case Capability.Ipc ipc -> ipc(grant, ipc);
            case Capability.Clock ignored -> {}
            case Capability.Assert claim -> {
                if (claim.description().equals(claim.id())) {
                    add(LintRule.ASSERT_WITHOUT_DESCRIPTION, grant, "say what '" + claim.id() + "' guarantees");
                }
            }
        }
        refinements(grant);
    }

    private void fs(Grant grant, Capability.Fs fs) {
        FsPath path = fs.path();
        String directory = path.bindDirectory();
        if (directory.equals("/")) {
            add(LintRule.ROOT_BIND, grant, "'" + path + "' binds the whole file system; name the directories needed");
        } else if (HOME.matcher(directory).matches()) {
            add(LintRule.HOME_BIND, grant, "'" + path + "' binds a home directory with its keys and history");
        } else if (SENSITIVE.matcher(directory).matches()) {
            add(
                    LintRule.SENSITIVE_PATH,
                    grant,
                    "'" + path + "' reaches '" + directory + "'; name what is needed in it");
        } else if (directory.equals("/tmp")) {
            add(LintRule.TMP_SHARED, grant, "'" + path + "' shares the host's /tmp; use a directory of its own");
        }
        if (path.isFileLike() && !path.isGlob()) {
            if (DOTTED_DIRECTORY.matcher(path.text()).matches()) {
                add(
                        LintRule.DOTTED_DIRECTORY,
                        grant,
                        "'" + path + "' would be lowered to '" + directory + "'; write '" + path
                                + "/' for the directory");
            } else {
                add(LintRule.FILE_WIDENED, grant, "'" + path + "' is lowered to its directory '" + directory + "'");
            }
        }
        boolean isWriter = fs.actions().stream().anyMatch(action -> action != FsAction.READ);
        grant.tool()
                .filter(name -> isWriter
                        && READER.matcher(name.toLowerCase(Locale.ROOT)).matches())
                .ifPresent(name -> add(
                        LintRule.WRITER_NAMED_READER,
                        grant,
                        "'" + name + "' sounds like a reader, yet may change files"));
    }

    private void net(Grant grant, Capability.Net net) {
        Host host = net.host();
        if (host.form() == Host.Form.ANY) {
            boolean hasSecret = policy.env().stream().anyMatch(rule -> rule.action() == EnvAction.INJECT);
            add(
                    hasSecret ? LintRule.ANY_HOST_WITH_SECRET : LintRule.ANY_HOST,
                    grant,
                    hasSecret
                            ? "injected secrets can be sent to any host; name the hosts"
                            : "name the hosts, if you can");
        } else if (net.port().isEmpty()) {
            add(LintRule.ANY_PORT, grant, "name the port of '" + host + "'");
        }
        if (isMetadata(host)) {
            add(LintRule.METADATA_ADDRESS, grant, "'" + host + "' gives out the credentials of the machine");
        } else if (!host.blockPrivate()) {
            add(
                    LintRule.PRIVATE_HOST,
                    grant,
                    "'" + host + "' is private; services behind it often ask for no password");
        }
    }

    private static boolean isMetadata(Host host) {
        String text = host.lower();
        return (host.form() == Host.Form.IPV4 && text.startsWith("169.254."))
                || (host.form() == Host.Form.IPV6 && (text.startsWith("fe80:") || text.equals("fd00:ec2::254")))
                || text.equals("100.100.100.200")
                || METADATA_NAMES.contains(text);
    }

    private void exec(Grant grant, String binary) {
        if (SHELLS.contains(binary)) {
            add(LintRule.SHELL, grant, "'" + binary + "' runs anything; name the programs it would start");
        } else if (PRIVILEGED.contains(binary)) {
            add(LintRule.PRIVILEGED_PROGRAM, grant, "'" + binary + "' starts or controls things outside the policy");
        } else if (INTERPRETERS.matcher(binary).matches()) {
            add(LintRule.INTERPRETER, grant, "'" + binary + "' runs any script it is given");
        }
    }

    private void env(Grant grant, Capability.Env env) {
        if (LOADERS.contains(env.name())) {
            add(LintRule.LOADER_VARIABLE, grant, "'" + env.name() + "' decides which code programs load");
        } else if (!env.actions().contains(EnvAction.INJECT)
                && SECRET_NAME.matcher(env.name()).matches()) {
            add(LintRule.SECRET_READ, grant, "'" + env.name() + "' looks secret; use env:inject");
        }
    }

    private void ipc(Grant grant, Capability.Ipc ipc) {
        Optional<String> socket = ipc.endpoint().socket();
        String text = ipc.endpoint().text();
        if (socket.isPresent()) {
            if (socket.get().matches(".*/(docker|containerd|podman|crio|buildkitd)[^/]*\\.sock")) {
                add(LintRule.CONTAINER_SOCKET, grant, "'" + socket.get() + "' is root on the host");
            }
        } else if (text.equals("x11") || text.startsWith("dbus:")) {
            add(LintRule.DESKTOP_BUS, grant, "'" + text + "' can drive other programs of the session or host");
        } else {
            add(LintRule.UNKNOWN_ENDPOINT, grant, "nothing is opened for '" + text + "'");
        }
    }

    private void refinements(Grant grant) {
        for (Refinements.Refinement refinement :
                grant.capability().refinements().list()) {
            if (!refinement.name().equals(Refinements.NESTED_SANDBOX)) {
                add(LintRule.UNKNOWN_REFINEMENT, grant, "'" + refinement.name() + "' has no effect");
            }
        }
        if (grant.capability().refinements().nestedSandbox()) {
            add(LintRule.NESTED_SANDBOX, grant, "the program sees processes and ipc of the host");
        }
    }

    private void checkManifest() {
        if (manifest.tools().isEmpty()) {
            grants.stream()
                    .filter(grant -> grant.tool().isEmpty())
                    .forEach(grant ->
                            add(LintRule.UNUSED_SERVER_CAPABILITY, grant, "the server has no tool that could use it"));
        }
        redundant();
        for (BindPlan.Bind bind : BindPlan.of(policy).binds()) {
            if (bind.roots().size() > 1) {
                addForManifest(
                        LintRule.SAME_DIRECTORY,
                        bind.roots().size() + " roots are bound as '" + bind.target() + "'",
                        bind.target());
            }
        }
        Set<String> names = new HashSet<>();
        for (Manifest.Tool tool : manifest.tools()) {
            if (!names.add(tool.name())) {
                addForManifest(LintRule.DUPLICATE_TOOL, "tool '" + tool.name() + "' is declared twice", tool.name());
            }
        }
        Set<String> used = new HashSet<>();
        grants.forEach(grant ->
                used.addAll(CapabilityParser.placeholders(grant.declared().text())));
        manifest.parameters().stream()
                .filter(parameter -> !used.contains(parameter.name()))
                .forEach(parameter -> addForManifest(
                        LintRule.PARAMETER_UNUSED,
                        "parameter '" + parameter.name() + "' is not used",
                        parameter.name()));
    }

    /// The same string twice for one owner, or a tool's string that the server already has.
    private void redundant() {
        Set<String> seen = new HashSet<>();
        for (Grant grant : grants) {
            String printed = grant.capability().print();
            boolean repeats = !seen.add(grant.owner() + "\n" + printed);
            boolean inherited = grant.tool().isPresent() && seen.contains("the server\n" + printed);
            if (repeats || inherited) {
                add(LintRule.REDUNDANT_CAPABILITY, grant, "'" + printed + "' is already granted to it");
            }
        }
    }

    private void add(LintRule rule, Grant grant, String advice) {
        findings.add(new ReviewFinding(
                rule.id(),
                rule.severity(),
                rule.meaning() + ": " + advice,
                grant.declared().text(),
                grant.owner(),
                grant.declared().location()));
    }

    private void addForManifest(LintRule rule, String advice, String subject) {
        findings.add(new ReviewFinding(
                rule.id(),
                rule.severity(),
                rule.meaning() + ": " + advice,
                subject,
                "the server",
                Optional.of(new Location(1, 1, ""))));
    }
}
