package dev.capsem.exchange.http;

import dev.capsem.events.Admission;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import java.util.Optional;
import java.util.function.Supplier;

/// An answer that we give ourselves, instead of the upstream.
///
/// @param code for programs
/// @param reason for people and the record; never holds payload
/// @param remedy what the reader can do
/// @param rule the rule that decided, if one did
public record Refusal(int status, String code, String reason, String remedy, Optional<RuleId> rule) {
    public static final String MALFORMED = "malformed_request";

    public static Refusal of(int status, String code, String reason, String remedy) {
        return new Refusal(status, code, reason, remedy, Optional.empty());
    }

    private static final String UNDECODABLE = "a rule must read the body, and it cannot be decoded: ";

    /// To rules a body that cannot be decoded is as far away as one that is too large. Its sender needs to know
    /// which of the two it is.
    ///
    /// @param trouble why the body cannot be decoded, if so; looked for only where that matters
    static Evaluation naming(Evaluation evaluation, Supplier<Optional<String>> trouble) {
        boolean isUnread = evaluation.outcome() instanceof Evaluation.Blocked(BlockCause cause)
                && cause == BlockCause.BODY_TOO_LARGE;
        Optional<String> found = isUnread ? trouble.get() : Optional.empty();
        if (found.isEmpty()) {
            return evaluation;
        }
        return evaluation.with(
                evaluation.outcome(), evaluation.rule(), Optional.of(UNDECODABLE + found.get()), evaluation.steps());
    }

    public static Refusal malformed(int status, String reason) {
        return of(status, MALFORMED, reason, "send a request that follows RFC 9112");
    }

    /// Between the company's proxy and us: the guest has no business with it, nor with what the proxy calls itself.
    public static Refusal proxyCredentials() {
        return of(
                502,
                "upstream_proxy",
                "the company's proxy wants other credentials, or any",
                "ask the person who runs this sandbox to check network.upstream_proxy_credentials");
    }

    static Refusal upstreamFailed(String reason, String remedy) {
        return of(502, "upstream_failed", reason, remedy);
    }

    static Refusal malformedResponse() {
        return upstreamFailed("the upstream's answer is malformed", "try another host");
    }

    static Refusal ownMistake() {
        return of(500, "internal_error", "the network engine failed", "report this with process.log");
    }

    static Refusal timeout(String reason) {
        return of(504, "timeout", reason, "try again later");
    }

    /// How something that was never fit to be judged is recorded.
    Evaluation asEvaluation() {
        return Evaluation.blocked(BlockCause.MALFORMED_TRAFFIC, code + ": " + reason);
    }

    public static Refusal unrecorded(Admission.Refused refused) {
        return of(503, Admission.CODE, refused.reason(), refused.remedy());
    }

    /// Requires: the outcome is a block.
    public static Refusal blocked(Evaluation evaluation, String what) {
        BlockCause cause = evaluation.outcome() instanceof Evaluation.Blocked blocked
                ? blocked.cause()
                : BlockCause.REWRITE_FAILED;
        String reason = evaluation
                .reason()
                .orElse(
                        switch (cause) {
                            case RULE -> "a rule blocks this " + what;
                            case NO_RULE_MATCHED -> "no rule allows this " + what;
                            default -> "this " + what + " was blocked: " + cause.wireName();
                        });
        String remedy = reason.startsWith(UNDECODABLE)
                ? "send it whole, in UTF-8, and without Content-Encoding, or as gzip, deflate, br or zstd"
                : remedy(cause);
        return switch (cause) {
            case AMBIGUOUS_PATH -> new Refusal(400, cause.wireName(), reason, remedy, evaluation.rule());
            case PLACEHOLDER_LEAK -> new Refusal(403, cause.wireName(), reason, remedy, evaluation.rule());
            case SECRET_UNAVAILABLE, SECRET_IN_RESPONSE ->
                new Refusal(502, cause.wireName(), reason, remedy, evaluation.rule());
            case BUDGET_EXCEEDED -> new Refusal(429, cause.wireName(), reason, remedy, evaluation.rule());
            case INSPECTION_FULL -> new Refusal(503, cause.wireName(), reason, remedy, evaluation.rule());
            default -> new Refusal(403, "blocked", reason, remedy, evaluation.rule());
        };
    }

    private static String remedy(BlockCause cause) {
        return switch (cause) {
            case RULE, NO_RULE_MATCHED ->
                "do without it, or ask the person who runs this sandbox to allow it in the profile's rules";
            case NOT_APPROVED ->
                "ask the person who runs this sandbox to approve it (capsem approvals --watch) or to allow it (capsem"
                        + " rules why), then try again";
            case INSPECTION_FULL -> "send fewer or smaller bodies at a time, then try again";
            case BODY_TOO_LARGE -> "send a smaller body: a rule must read all of it first";
            case PRIVATE_ADDRESS -> "use a public address; a rule on http.request.address_class can allow others";
            case UNSUPPORTED -> "use a protocol that Capsem carries: HTTP, HTTPS, WebSocket";
            case MALFORMED_TRAFFIC -> "send valid HTTP for the host you connected to";
            case AMBIGUOUS_PATH -> "send the path in its plain form, without %2f, %5c, //, ;, \\ and dots";
            case AMBIGUOUS_BODY ->
                "send the body in UTF-8 and escape only what must be, so that everybody reads the same in it";
            case PLACEHOLDER_LEAK ->
                "send the placeholder only to the hosts and places of its grant, which `capsem secret list` names";
            case SECRET_UNAVAILABLE ->
                "ask the person who runs this sandbox to make the secret available: `capsem secret test` says why it"
                        + " is not";
            case SECRET_IN_RESPONSE -> "ask for the answer without compression (Accept-Encoding: identity)";
            case BUDGET_EXCEEDED ->
                "ask the person who runs this sandbox to raise the budget: `capsem budget list` shows it";
            case NO_RULES -> "the sandbox's profile could not be loaded: see `capsem status`";
            case RULE_FAILED,
                    RULE_TOO_COSTLY,
                    BODY_UNREAD,
                    REWRITE_FAILED,
                    TOOL_GONE,
                    TOOL_CHANGED,
                    SERVER_AWAY,
                    ENGINE_FAILURE -> "a rule could not be applied, so nothing was sent: see `capsem rules check`";
        };
    }
}
