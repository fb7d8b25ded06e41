package dev.capsem.policy.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FsPathTest {
    @ParameterizedTest
    @CsvSource({
        "/workspace/**,/workspace",
        "/**,/",
        "/d/db.sqlite,/d",
        "/a/*.txt,/a",
        "/h/.env,/h/.env",
        "/a/,/a",
        "/a,/a",
        "/a/*,/a",
        "/x.db,/",
        "/opt/py3.11,/opt",
        "/opt/py3.11/,/opt/py3.11",
        "/opt/py3.11/**,/opt/py3.11",
        "/,/"
    })
    void lowersToOneDirectory(String path, String directory) {
        assertThat(new FsPath(path).bindDirectory()).isEqualTo(directory);
    }

    @ParameterizedTest
    @CsvSource({
        "/a/b,/a/**,true",
        "/a/b/**,/a/*,true",
        "/a/b,/a/,true",
        "/a/b,/a,false",
        "/a,/a,true",
        "/ab,/a/**,false",
        "/a,/a/**,false",
        "/a/**,/a/*,true",
        "/x,/**,true",
        "/a/**,/a/b,false"
    })
    void coversWhatLiesBeneathATree(String inner, String outer, boolean covered) {
        assertThat(new FsPath(inner).isCoveredBy(new FsPath(outer))).isEqualTo(covered);
    }
}
