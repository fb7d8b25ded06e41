package dev.capsem.policy.property;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.Compilation;
import dev.capsem.policy.CompileOptions;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import java.nio.charset.StandardCharsets;

/// The compiler's fuzz target: any bytes as manifest, lowered to every target. Anything but these answers is a fault.
///
/// Jazzer runs it as `jazzer --target_class=dev.capsem.policy.property.ManifestFuzzTarget`; the tests feed it too.
public final class ManifestFuzzTarget {
    private ManifestFuzzTarget() {}

    /// What the command line answers with exit codes 3, 4 and 0.
    enum Answer {
        UNREADABLE,
        REFUSED,
        COMPILED
    }

    public static void fuzzerTestOneInput(byte[] input) {
        feed(input);
    }

    static Answer feed(byte[] bytes) {
        return switch (JsonReader.read(bytes)) {
            case JsonReading.Malformed ignored -> Answer.UNREADABLE;
            case JsonReading.Parsed parsed -> {
                try {
                    Compilation compilation = Capgate.compilation(parsed.document(), CompileOptions.DEFAULT);
                    for (LoweringTarget target : LoweringTarget.values()) {
                        target.lower(compilation.policy(), LoweringOptions.DEFAULT.permissive());
                    }
                    yield Answer.COMPILED;
                } catch (CompilationError e) {
                    yield Answer.REFUSED;
                }
            }
        };
    }

    static Answer feed(String text) {
        return feed(text.getBytes(StandardCharsets.UTF_8));
    }
}
