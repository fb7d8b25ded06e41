package dev.capsem.cli.capgate;

import dev.capsem.policy.AssertionValidator;
import dev.capsem.policy.CompileOptions;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.ir.MergeMode;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.policy.manifest.Bindings;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.ParsedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The request of a command line, checked before any manifest is read.
record CompileRequest(List<LoweringTarget> targets, LoweringOptions lowering, CompileOptions compile) {
    static final Set<String> COMPILE_OPTIONS = Set.of("--param", "--merge", "--validators");
    static final Set<String> LOWERING_OPTIONS = Set.of(
            "--target",
            "--egress-target",
            "--permissive",
            "--hardened",
            "--image",
            "--command",
            "--user",
            "--writable-rootfs",
            "--worker-heap-mb",
            "--worker-young-mb",
            "--worker-code-mb",
            "--worker-stack-mb");

    CompileRequest {
        targets = List.copyOf(targets);
    }

    static CompileRequest of(Arguments arguments, ManifestInput input) {
        List<LoweringTarget> targets = new ArrayList<>();
        for (String word : arguments.values("--target")) {
            targets.add(LoweringTarget.of(word)
                    .orElseThrow(() ->
                            new Arguments.Misuse("'" + word + "' is not a target; use " + LoweringTarget.words())));
        }
        return new CompileRequest(targets, lowering(arguments), compile(arguments, input));
    }

    private static LoweringOptions lowering(Arguments arguments) {
        LoweringOptions.WorkerLimits defaults = LoweringOptions.WorkerLimits.DEFAULT;
        LoweringOptions options = LoweringOptions.DEFAULT
                .with(egress(arguments))
                .with(new LoweringOptions.WorkerLimits(
                        arguments.number("--worker-heap-mb", defaults.oldGenerationMb()),
                        arguments.number("--worker-young-mb", defaults.youngGenerationMb()),
                        arguments.number("--worker-code-mb", defaults.codeRangeMb()),
                        arguments.number("--worker-stack-mb", defaults.stackMb())));
        if (arguments.has("--permissive")) {
            options = options.permissive();
        }
        if (arguments.has("--hardened")) {
            options = options.harden();
        }
        if (arguments.has("--writable-rootfs")) {
            options = options.withWritableRootfs();
        }
        Optional<String> image = arguments.value("--image");
        if (image.isPresent()) {
            options = options.withImage(image.get());
        }
        Optional<String> user = arguments.value("--user");
        if (user.isPresent()) {
            options = options.withUser(user.get());
        }
        Optional<String> command = arguments.value("--command");
        return command.isPresent()
                ? options.withCommand(List.of(command.get().strip().split("\\s+")))
                : options;
    }

    private static EgressKind egress(Arguments arguments) {
        try {
            return EgressKind.of(arguments.value("--egress-target").orElse("squid"));
        } catch (CompilationError e) {
            throw new Arguments.Misuse(e.problems().getFirst().text());
        }
    }

    private static CompileOptions compile(Arguments arguments, ManifestInput input) {
        CompileOptions options =
                CompileOptions.DEFAULT.with(bindings(arguments)).with(merge(arguments));
        Optional<String> validators = arguments.value("--validators");
        return validators.isPresent()
                ? options.with(AssertionValidator.ofIds(ids(input.read(validators.get()), validators.get())))
                : options;
    }

    private static Bindings bindings(Arguments arguments) {
        Bindings bindings = Bindings.NONE;
        for (String binding : arguments.values("--param")) {
            int equals = binding.indexOf('=');
            if (equals < 1) {
                throw new Arguments.Misuse("--param takes NAME=VALUE");
            }
            bindings = bindings.with(binding.substring(0, equals), binding.substring(equals + 1));
        }
        return bindings;
    }

    private static MergeMode merge(Arguments arguments) {
        return switch (arguments.value("--merge").orElse("nested")) {
            case "nested" -> MergeMode.NESTED;
            case "union" -> MergeMode.UNION;
            default -> throw new Arguments.Misuse("--merge takes nested or union");
        };
    }

    private static List<String> ids(ParsedJson document, String file) {
        List<String> ids = new ArrayList<>();
        if (document.root() instanceof JsonValue.Items items) {
            items.list().forEach(item -> {
                if (item instanceof JsonValue.Text text) {
                    ids.add(text.value());
                }
            });
            if (ids.size() == items.list().size()) {
                return ids;
            }
        }
        throw new ManifestInput.Unreadable("'" + file + "' is not a JSON array of assertion ids");
    }
}
