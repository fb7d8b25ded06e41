package dev.capsem.bench.llm;

import com.sun.management.ThreadMXBean;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Caller;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.llm.ModelObserver;
import dev.capsem.llm.json.KnownNames;
import dev.capsem.llm.stream.PieceSink;
import dev.capsem.llm.stream.SseParser;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Measures the tap on streams of each provider: how many bytes a second one core reads, cut into chunks as they come
/// from a connection.
public final class TapBench {
    private static final int STREAM_BYTES = 1024 * 1024;
    private static final int CHUNK = 16 * 1024;
    private static final int SMALL_CHUNK = 1024;
    private static final int WARM_UP_ROUNDS = 200;
    private static final int ROUNDS = 5;
    private static final long ROUND_NANOS = 150_000_000;
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final double MEBIBYTE = 1024.0 * 1024.0;

    private static final String[] WORDS =
            "The ,quick ,brown ,fox ,said ,\\\"no\\\" ,and ,went ,home.\\nThen ,it ,rained ,on ,and ,on ".split(",");

    private final Figures figures;
    private final ModelObserver observer = new ModelObserver(List.of(), new IdSource(() -> AT, new Random(1)));
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long sink;

    private TapBench(Figures figures) {
        this.figures = figures;
    }

    /// @param each one event; `%s` is where the text goes
    private record Sample(String name, String url, String first, String each, String last) {
        byte[] stream(int textCharacters) {
            StringBuilder all = new StringBuilder(first);
            int at = 0;
            while (all.length() < STREAM_BYTES) {
                String text = text(at, textCharacters);
                all.append(each.replace("%s", text));
                at += textCharacters;
            }
            return all.append(last).toString().getBytes(StandardCharsets.UTF_8);
        }

        /// Never starts or ends inside an escape.
        private static String text(int at, int length) {
            StringBuilder text = new StringBuilder();
            for (int i = at; text.length() < length; i++) {
                text.append(WORDS[i % WORDS.length]);
            }
            return text.toString();
        }
    }

    private static final List<Sample> SAMPLES = List.of(
            new Sample(
                    "anthropic",
                    "https://api.anthropic.com/v1/messages",
                    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"claude\","
                            + "\"usage\":{\"input_tokens\":9}}}\n\n",
                    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                            + "{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n",
                    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"),
            new Sample(
                    "anthropic tool",
                    "https://api.anthropic.com/v1/messages",
                    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":"
                            + "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"bash\",\"input\":{}}}\n\n",
                    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":"
                            + "{\"type\":\"input_json_delta\",\"partial_json\":\"%s\"}}\n\n",
                    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"),
            new Sample(
                    "openai chat",
                    "https://api.openai.com/v1/chat/completions",
                    "",
                    "data: {\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":\"chat.completion.chunk\","
                            + "\"created\":1741569952,\"model\":\"gpt-4.1-2025-04-14\",\"service_tier\":\"default\","
                            + "\"system_fingerprint\":\"fp_51e1070cf2\",\"choices\":[{\"index\":0,\"delta\":"
                            + "{\"content\":\"%s\"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null,"
                            + "\"obfuscation\":\"xk3uU9aa\"}\n\n",
                    "data: [DONE]\n\n"),
            new Sample(
                    "openai responses",
                    "https://api.openai.com/v1/responses",
                    "",
                    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
                            + "\"sequence_number\":17,\"item_id\":\"msg_68a1b3c4d5e6f7a8b9c0d1e2f3a4b5c6\","
                            + "\"output_index\":0,\"content_index\":0,\"delta\":\"%s\",\"logprobs\":[],"
                            + "\"obfuscation\":\"LyaKo1H8q\"}\n\n",
                    ""),
            new Sample(
                    "gemini",
                    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent",
                    "",
                    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"%s\"}],\"role\": \"model\"},"
                            + "\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 12,\"candidatesTokenCount\": 34,"
                            + "\"totalTokenCount\": 46},\"modelVersion\": \"gemini-2.5-pro\","
                            + "\"responseId\": \"mAitaLmkHPPlz7IPvtfUqQ4\"}\r\n\r\n",
                    ""));

    /// Takes what was found.
    public interface Figures {
        void found(String name, double value, String unit, Optional<String> budget);
    }

    public static void run(Figures figures) {
        TapBench bench = new TapBench(figures);
        bench.warmUp();
        for (int text : new int[] {5, 40}) {
            for (Sample sample : SAMPLES) {
                bench.tap(sample, text, CHUNK);
            }
        }
        bench.parserAlone(CHUNK);
        bench.parserAlone(SMALL_CHUNK);
        bench.row();
        if (bench.sink == 0) {
            throw new IllegalStateException("nothing was read");
        }
    }

    /// All streams by turns, so that none is measured by what was compiled for another.
    private void warmUp() {
        for (int round = 0; round < WARM_UP_ROUNDS; round++) {
            for (Sample sample : SAMPLES) {
                byte[] stream = sample.stream(round % 2 == 0 ? 5 : 40);
                ModelTap tap = open(sample.url());
                feed(tap, stream, CHUNK);
                sink += tap.response(envelope()).toolCalls().size();
            }
        }
    }

    private void tap(Sample sample, int textCharacters, int chunk) {
        byte[] stream = sample.stream(textCharacters);
        report(sample.name(), String.valueOf(textCharacters), chunk, stream, () -> {
            ModelTap tap = open(sample.url());
            feed(tap, stream, chunk);
            sink += tap.response(envelope()).toolCalls().size();
        });
    }

    /// Only the cutting into events, on what is mostly text.
    private void parserAlone(int chunk) {
        byte[] stream = SAMPLES.get(0).stream(40);
        PieceSink count = new PieceSink() {
            @Override
            public void piece(String type, byte[] buffer, int from, int to) {
                sink += to - from;
            }

            @Override
            public void oversized(String type) {}
        };
        report("events only", "40", chunk, stream, () -> {
            SseParser parser = new SseParser(new KnownNames(List.of("content_block_delta")), count);
            for (int from = 0; from < stream.length; from += chunk) {
                parser.feed(stream, from, Math.min(stream.length, from + chunk));
            }
            parser.finish();
        });
    }

    /// Everything but the stream: what one short call costs from request to row.
    private void row() {
        byte[] stream = SAMPLES.get(0).stream(40);
        byte[] brief = Arrays.copyOf(stream, 2_000);
        byte[] request =
                "{\"model\":\"claude-sonnet-4-5\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
                        .getBytes(StandardCharsets.UTF_8);
        report("whole call, 2 kB", "40", brief.length, brief, () -> {
            ModelTap tap = observer.modelCall(head(SAMPLES.get(0).url())).orElseThrow();
            tap.request(envelope(), request, false);
            tap.responseHead(200, Headers.NONE);
            feed(tap, brief, brief.length);
            sink += tap.row(new ModelTap.Facts(AT, Duration.ZERO, Caller.UNKNOWN, 0, 0, Optional.empty()))
                    .toolCalls()
                    .size();
        });
    }

    private void report(String name, String text, int chunk, byte[] stream, Runnable once) {
        double[] rates = new double[ROUNDS];
        long allocated = 0;
        long runs = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long allocatedBefore = threads.getCurrentThreadAllocatedBytes();
            // Time of the processor, not of the clock: other work on the machine must not count.
            long start = threads.getCurrentThreadCpuTime();
            long end = start;
            runs = 0;
            while (end - start < ROUND_NANOS) {
                once.run();
                runs++;
                end = threads.getCurrentThreadCpuTime();
            }
            rates[round] = (double) stream.length * runs * 1e9 / (end - start);
            allocated = threads.getCurrentThreadAllocatedBytes() - allocatedBefore;
        }
        Arrays.sort(rates);
        double median = rates[ROUNDS / 2];
        long events = Math.max(1, blankLines(stream));
        String series = "tap " + name + ", " + text + " characters, chunks of " + chunk;
        figures.found(series, median / MEBIBYTE, "MiB/s of one core", Optional.of("≥ 500"));
        figures.found(series, stream.length / median * 1e9 / events, "ns per event", Optional.empty());
        figures.found(series, (double) allocated / runs / events, "bytes allocated per event", Optional.empty());
    }

    private static long blankLines(byte[] stream) {
        String text = new String(stream, StandardCharsets.ISO_8859_1).replace("\r", "");
        return text.split("\n\n", -1).length - 1L;
    }

    private ModelTap open(String url) {
        ModelTap tap = observer.modelCall(head(url)).orElseThrow();
        tap.request(envelope(), new byte[0], false);
        tap.responseHead(200, Headers.NONE);
        return tap;
    }

    private static void feed(ModelTap tap, byte[] stream, int chunk) {
        for (int from = 0; from < stream.length; from += chunk) {
            tap.responseBytes(ByteBuffer.wrap(stream, from, Math.min(chunk, stream.length - from)));
        }
    }

    private static HttpRequest head(String url) {
        URI uri = URI.create(url);
        return new HttpRequest(
                envelope(),
                "POST",
                "https",
                uri.getHost(),
                443,
                uri.getPath(),
                Optional.empty(),
                Headers.NONE,
                Body.NONE);
    }

    private static Envelope envelope() {
        return Envelope.inline(new EventId("ev-1"), AT, Attribution.UNKNOWN, Correlation.NONE);
    }
}
