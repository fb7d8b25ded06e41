package dev.capsem.cli.screen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScreenTextTest {
    @Test
    void controlCharactersAreShownNotObeyed() {
        assertThat(Printable.line("a\u001b[2Jb\nc\td\u009b")).isEqualTo("a\\x1b[2Jb\\nc\\td\\x9b");
        assertThat(Printable.text("a\n\tb\rc")).isEqualTo("a\n\tb\\x0dc");
        assertThat(Printable.line("\u202eabc\u2066")).isEqualTo("\\u202eabc\\u2066");
        assertThat(Printable.line("Grüße 👋")).isEqualTo("Grüße 👋");
    }

    @Test
    void whatNobodySeesIsShown() {
        String tag = Character.toString(0xe0041);

        assertThat(Printable.line("a" + tag + "b")).isEqualTo("a\\ue0041b");
        assertThat(Printable.line("\u3164\u2800\u034f\ufe0f\ud800")).isEqualTo("\\u3164\\u2800\\u034f\\ufe0f\\ud800");
        assertThat(Printable.line("a" + "\u0301".repeat(6))).isEqualTo("a\u0301\u0301\u0301\u0301\\u0301\\u0301");
        assertThat(Printable.text("e\u0301\nश्री")).isEqualTo("e\u0301\nश्री");
    }

    @Test
    void amountsReadWell() {
        assertThat(Amounts.duration(59)).isEqualTo("59 s");
        assertThat(Amounts.duration(3_600)).isEqualTo("1 h");
        assertThat(Amounts.duration(12_000)).isEqualTo("3 h 20 min");
        assertThat(Amounts.duration(200_000)).isEqualTo("2 d 7 h");
        assertThat(Amounts.millis(999)).isEqualTo("999 ms");
        assertThat(Amounts.millis(1_250)).isEqualTo("1.25 s");
        assertThat(Amounts.bytes(1_023)).isEqualTo("1023 B");
        assertThat(Amounts.bytes(1_610_612_736L)).isEqualTo("1.5 GiB");
        assertThat(Amounts.counted(1, "file")).isEqualTo("1 file");
    }
}
