/// One exchange before the broker: [RequestSecrets] on the way out, [ResponseScrub] on the way back. They translate
/// between the exchange's words and the broker's, and see `http.body` and `leak`, but nothing else of the exchange.
@NullMarked
package dev.capsem.exchange.http.secret;

import org.jspecify.annotations.NullMarked;
