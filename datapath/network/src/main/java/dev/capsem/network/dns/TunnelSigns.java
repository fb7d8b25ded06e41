package dev.capsem.network.dns;

import dev.capsem.events.row.Finding;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Looks for data carried in names: what a tunnel cannot avoid is long names, or labels that look like noise. A
/// finding informs and never decides, since some honest names look so too.
final class TunnelSigns {
    /// Of nearly all names that people and programs use, the whole is shorter and so is each label.
    static final int NAME_LENGTH = 120;

    static final int LABEL_LENGTH = 50;
    /// Shorter labels do not have enough letters to tell noise from words.
    static final int NOISE_LENGTH = 24;
    /// Bits per letter. English has about 3.5 at this length, 32 hexadecimal digits at most 4, base32 data 4.2 or more.
    static final double NOISE_BITS = 4.0;

    private static final String PACK = "capsem.dns";

    private TunnelSigns() {}

    static List<Finding> find(EventId event, DnsName name) {
        String text = name.text();
        List<Finding> findings = new ArrayList<>();
        String[] labels = text.split("\\.");
        boolean hasLongLabel = false;
        boolean hasNoise = false;
        for (String label : labels) {
            hasLongLabel |= label.length() >= LABEL_LENGTH;
            hasNoise |= label.length() >= NOISE_LENGTH && bitsPerLetter(label) >= NOISE_BITS;
        }
        if (text.length() >= NAME_LENGTH || hasLongLabel) {
            findings.add(finding(event, "dns_long_name", "a name so long that it may carry data", Confidence.LOW));
        }
        if (hasNoise) {
            findings.add(finding(event, "dns_noise", "a label like encoded data", Confidence.MEDIUM));
        }
        return findings;
    }

    /// Shannon's entropy of the label's own letters.
    static double bitsPerLetter(String label) {
        int[] counts = new int[128];
        for (int i = 0; i < label.length(); i++) {
            counts[label.charAt(i) & 0x7f]++;
        }
        double bits = 0;
        for (int count : counts) {
            if (count > 0) {
                double share = (double) count / label.length();
                bits -= share * Math.log(share) / Math.log(2);
            }
        }
        return bits;
    }

    private static Finding finding(EventId event, String rule, String title, Confidence confidence) {
        return new Finding(
                "finding-" + event.value() + "-" + rule,
                rule,
                PACK,
                Optional.empty(),
                title,
                Severity.MEDIUM,
                confidence,
                List.of("attack.exfiltration", "attack.t1048", "attack.t1071.004"));
    }
}
