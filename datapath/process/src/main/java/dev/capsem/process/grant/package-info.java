/// The grants of one sandbox: values fetched from this host, a stand-in for each, variables and files that show the
/// stand-ins inside. Entry type: `GrantLoader`. Values are held here and nowhere else; docs/adr/0033 says why.
@NullMarked
package dev.capsem.process.grant;

import org.jspecify.annotations.NullMarked;
