package org.shardmend.cli.option;

import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.Engine;
import org.shardmend.job.plan.PlanRequest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Which engine saved the checkpoint, where nothing there says it. */
public final class EngineOption {
  @Option(
      names = "--engine",
      paramLabel = "E",
      arity = "1",
      converter = EngineName.class,
      description =
          "The engine that saved it, sglang or vllm: what is known of its quantized saves is then"
              + " said. By default as servekit.json and the names tell.")
  private List<Engine> engine = new ArrayList<>();

  /** The request, with the engine where one was given; the last one counts. */
  public PlanRequest on(PlanRequest request) {
    return engine.isEmpty() ? request : request.savedBy(engine.get(engine.size() - 1));
  }

  private static final class EngineName implements ITypeConverter<Engine> {
    @Override
    public Engine convert(String text) {
      return Engine.of(text)
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'%s' is no engine; there are sglang and vllm".formatted(text)));
    }
  }
}
