/// A repository behind `git http-backend`. Entry type: `GitRepository`.
@NullMarked
package dev.capsem.testkit.git;

import org.jspecify.annotations.NullMarked;
