package dev.capsem.network.dns;

import dev.capsem.exchange.dns.RecordType;
import dev.capsem.exchange.dns.ResponseCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The result of a lookup of one name and type.
///
/// @param answers the aliases that lead from the name to the records, then those
/// @param negativeTtlSeconds how long "no such thing" may be remembered, if the zone says so
/// @param upstream how long the host's resolvers took; zero if they were not asked
record Lookup(int responseCode, List<ResourceRecord> answers, Optional<Long> negativeTtlSeconds, Duration upstream) {
    /// Real chains have two or three links.
    private static final int ALIASES_MAX = 16;

    Lookup {
        answers = List.copyOf(answers);
    }

    static Lookup failed(Duration upstream) {
        return new Lookup(ResponseCode.SERVER_FAILURE, List.of(), Optional.empty(), upstream);
    }

    /// Keeps what answers the question and nothing else that the resolver chose to send along.
    static Lookup of(UpstreamMessage message, Duration upstream) {
        Question question = message.question();
        List<ResourceRecord> kept = new ArrayList<>();
        DnsName owner = question.name();
        for (int i = 0; i < ALIASES_MAX && question.type() != RecordType.CNAME; i++) {
            Optional<ResourceRecord> alias = aliasOf(owner, message.answers());
            if (alias.isEmpty()) {
                break;
            }
            kept.add(alias.get());
            owner = alias.get().alias().orElseThrow();
        }
        boolean found = false;
        for (ResourceRecord record : message.answers()) {
            if (record.type() == question.type() && record.owner().equals(owner)) {
                kept.add(record);
                found = true;
            }
        }
        Optional<Long> negative = found
                ? Optional.empty()
                : message.authorities().stream()
                        .filter(record -> record.type() == RecordType.SOA)
                        .map(ResourceRecord::negativeTtlSeconds)
                        .findFirst();
        return new Lookup(message.responseCode(), kept, negative, upstream);
    }

    private static Optional<ResourceRecord> aliasOf(DnsName owner, List<ResourceRecord> records) {
        return records.stream()
                .filter(record ->
                        record.type() == RecordType.CNAME && record.owner().equals(owner))
                .findFirst();
    }

    boolean isFailure() {
        return responseCode != ResponseCode.NO_ERROR && responseCode != ResponseCode.NAME_ERROR;
    }

    /// Whether a record of that type is there, not only aliases.
    boolean has(int type) {
        return answers.stream().anyMatch(record -> record.type() == type);
    }

    Lookup fromMemory(long ageSeconds) {
        List<ResourceRecord> aged = answers.stream()
                .map(record -> record.withTtl(Math.max(0, record.ttlSeconds() - ageSeconds)))
                .toList();
        return new Lookup(responseCode, aged, negativeTtlSeconds, Duration.ZERO);
    }
}
