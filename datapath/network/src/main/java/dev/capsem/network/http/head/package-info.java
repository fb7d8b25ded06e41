/// Whom a request is for: `RequestHead` reads a head and compares it with its connection (`ConnectionFacts`);
/// `HeadRewrite` makes the heads that are sent on; `Refused` puts a head that cannot be read on record.
@NullMarked
package dev.capsem.network.http.head;

import org.jspecify.annotations.NullMarked;
