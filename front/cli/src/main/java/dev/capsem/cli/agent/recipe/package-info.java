/// Recipes: how an agent is found, what it may reach, and which login goes with it. Pure but for `RecipeShelf`, which
/// reads the shipped ones and the user's. Entry type: `AgentRecipe`.
@NullMarked
package dev.capsem.cli.agent.recipe;

import org.jspecify.annotations.NullMarked;
