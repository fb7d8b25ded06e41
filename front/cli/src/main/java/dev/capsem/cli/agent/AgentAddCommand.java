package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.agent.recipe.RecipeReader;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.FileFault;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem agent add`
@Command(
        footer = {
            "",
            "Checks a recipe and keeps it in ~/.capsem/agents, in place of one of that name. All mistakes are",
            "named with line and column; then nothing is kept, and the exit code is 1.",
            "",
            "Examples:",
            "  capsem agent add my-agent.toml && capsem agent test my-agent"
        })
public final class AgentAddCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "FILE", description = "The recipe.")
    String file = "";

    public AgentAddCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> file = word);
    }

    @Override
    public int run() {
        String text = text(context.directory().resolve(file));
        RecipeReader.Reading reading = RecipeReader.read(new SourceText(file, Layer.USER, text));
        reading.problems().forEach(problem -> context.screen().remark(Printable.text(problem.toString())));
        Optional<AgentRecipe> recipe = reading.recipe();
        if (recipe.isEmpty()) {
            return ExitCode.NO;
        }
        Path kept = AgentHome.of(context).shelf().add(recipe.get().name(), text);
        if (output.isJson()) {
            output.print(
                    context.screen(),
                    Json.object().put("name", recipe.get().name()).put("file", kept.toString()));
        } else if (!output.isQuiet()) {
            context.screen().print("kept " + recipe.get().name() + " in " + Printable.line(kept.toString()));
            context.screen().remark("try it: capsem agent test " + recipe.get().name());
        }
        return ExitCode.DONE;
    }

    private static String text(Path path) {
        try {
            return Files.readString(path);
        } catch (FileSystemException fault) {
            throw FileFault.of(fault);
        } catch (java.nio.charset.CharacterCodingException noText) {
            throw CliProblem.usage(path + " is no text in UTF-8", "is it the right file?");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
