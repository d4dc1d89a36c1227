package org.shardmend.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.ExpectedTensor;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.Shape;

/**
 * The contract that the {@code sharded_state} loaders of SGLang and vLLM hold a load unit to: its
 * names are the expected names, each once, with equal shapes and types. Faults are worded as the
 * engine words them; what the engine does silently is a fault too, because the model that answers
 * is then not the one that was saved.
 */
public final class LoaderContract {
  private LoaderContract() {}

  /**
   * The faults of one load unit.
   *
   * @param tensors what its files hold, in the order in which the loader would read them
   * @param expected the fresh model's state, by name
   */
  public static List<ContractFault> check(
      UnitId unit, List<NamedTensor> tensors, Map<String, ExpectedTensor> expected) {
    List<ContractFault> faults = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (NamedTensor tensor : tensors) {
      ExpectedTensor parameter = expected.get(tensor.name());
      if (parameter == null) {
        faults.add(
            fault(ContractFault.Code.UNEXPECTED_TENSOR, unit, tensor, keyError(tensor.name())));
      } else if (!seen.add(tensor.name())) {
        faults.add(
            fault(
                ContractFault.Code.DUPLICATE_TENSOR,
                unit,
                tensor,
                keyError(tensor.name())
                    + " on its second sight: another file of this rank holds it too"));
      } else {
        form(unit, tensor, parameter).forEach(faults::add);
      }
    }
    missing(unit, seen, expected.keySet()).ifPresent(faults::add);
    return faults;
  }

  private static Optional<ContractFault> missing(
      UnitId unit, Set<String> seen, Collection<String> expected) {
    Set<String> missing = new TreeSet<>(expected);
    missing.removeAll(seen);
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ContractFault(
                ContractFault.Code.MISSING_TENSOR,
                unit,
                "",
                missing.size() == 1 ? missing.iterator().next() : "",
                missingKeys(missing)));
  }

  private static List<ContractFault> form(
      UnitId unit, NamedTensor tensor, ExpectedTensor parameter) {
    List<ContractFault> faults = new ArrayList<>();
    parameter
        .shape()
        .filter(shape -> !shape.equals(tensor.shape()))
        .ifPresent(shape -> faults.add(shapeFault(unit, tensor, shape)));
    if (!parameter.dtype().isEmpty() && !parameter.dtype().equals(tensor.dtype())) {
      faults.add(
          fault(
              ContractFault.Code.DTYPE_CAST,
              unit,
              tensor,
              "stored as %s, expected %s: the engine casts it silently"
                  .formatted(tensor.dtype(), parameter.dtype())));
    }
    return faults;
  }

  private static ContractFault shapeFault(UnitId unit, NamedTensor tensor, Shape expected) {
    Shape stored = tensor.shape();
    String shapes = "stored %s, expected %s: ".formatted(stored, expected);
    if (stored.rank() > expected.rank()) {
      return fault(
          ContractFault.Code.SHAPE_TOO_LARGE,
          unit,
          tensor,
          shapes + "more dimensions than the parameter has, the engine raises");
    }
    if (stored.rank() < expected.rank()) {
      return fault(
          ContractFault.Code.SHAPE_BROADCAST,
          unit,
          tensor,
          shapes + "fewer dimensions, the engine broadcasts silently or raises");
    }
    for (int i = 0; i < stored.rank(); i++) {
      if (stored.dimension(i) > expected.dimension(i)) {
        return fault(
            ContractFault.Code.SHAPE_TOO_LARGE,
            unit,
            tensor,
            shapes + "larger than the parameter in dimension %d, the engine raises".formatted(i));
      }
    }
    return fault(
        ContractFault.Code.SHAPE_NARROWED,
        unit,
        tensor,
        shapes + "the engine narrows the parameter, logs a warning, and leaves the rest unset");
  }

  private static ContractFault fault(
      ContractFault.Code code, UnitId unit, NamedTensor tensor, String message) {
    return new ContractFault(code, unit, tensor.shard(), tensor.name(), message);
  }

  /** The engine's words for a name that it does not expect. */
  public static String keyError(String name) {
    return "KeyError: " + quoted(name);
  }

  /** The engine's words for names that no file holds. */
  public static String missingKeys(Collection<String> names) {
    String tuple = names.stream().map(LoaderContract::quoted).collect(Collectors.joining(", "));
    return "ValueError: Missing keys (%s%s) in loaded state!"
        .formatted(tuple, names.size() == 1 ? "," : "");
  }

  /** A string as Python's repr() prints it. */
  private static String quoted(String text) {
    char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
    StringBuilder out = new StringBuilder().append(quote);
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                  if (c == quote) {
                    out.append('\\').append(quote);
                  } else if (DisplayName.isVisible(c)) {
                    out.appendCodePoint(c);
                  } else {
                    out.append(escape(c));
                  }
                }
              }
            });
    return out.append(quote).toString();
  }

  private static String escape(int c) {
    if (c < 0x100) {
      return "\\x%02x".formatted(c);
    }
    return c < 0x10000 ? "\\u%04x".formatted(c) : "\\U%08x".formatted(c);
  }
}
