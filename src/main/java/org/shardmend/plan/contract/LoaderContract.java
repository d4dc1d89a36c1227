package org.shardmend.plan.contract;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.plan.NamedTensor;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.Shape;

/**
 * The contract that a loader holds a load unit to: its names are the expected names, each once,
 * with equal shapes and types. Faults are worded as the engine words them; what the engine does
 * silently is a fault too, because the model that answers may then not be the one that was saved.
 */
public final class LoaderContract {
  private LoaderContract() {}

  /**
   * What the loader makes of one load unit.
   *
   * @param tensors what its files hold, in the order in which the loader would read them
   * @param expected the fresh model's state, by name
   */
  public static ContractVerdict check(
      Loader loader, UnitId unit, List<NamedTensor> tensors, Map<String, ExpectedTensor> expected) {
    List<Finding> faults = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    Set<String> missing = new TreeSet<>(expected.keySet());
    for (NamedTensor tensor : tensors) {
      ExpectedTensor parameter = expected.get(tensor.name());
      if (parameter == null) {
        unknown.add(tensor.name());
        if (!loader.skipsUnknownNames()) {
          faults.add(
              fault(
                  ContractCode.UNEXPECTED_TENSOR,
                  unit,
                  tensor,
                  unknownName(loader, tensor.name())));
        }
      } else if (missing.remove(tensor.name())) {
        faults.addAll(form(loader, unit, tensor, parameter));
      } else {
        faults.add(duplicate(loader, unit, tensor));
      }
    }
    missing.removeIf(name -> isNotAskedFor(loader, expected.get(name)));
    if (!missing.isEmpty()) {
      faults.add(
          fault(
              ContractCode.MISSING_TENSOR,
              unit,
              "",
              missing.size() == 1 ? missing.iterator().next() : "",
              missingNames(loader, missing)));
    }
    return new ContractVerdict(faults, unknown, missing);
  }

  /** Parameters without elements are in no saved state, and not every loader misses them. */
  private static boolean isNotAskedFor(Loader loader, ExpectedTensor parameter) {
    return !loader.asksForEmptyParameters()
        && parameter.shape().stream()
            .flatMapToLong(shape -> LongStream.of(shape.toArray()))
            .anyMatch(dimension -> dimension == 0);
  }

  /** A name that two of a rank's files hold. */
  public static Finding duplicate(Loader loader, UnitId unit, NamedTensor tensor) {
    String message =
        switch (loader.repeatedName()) {
          case STOPS ->
              keyError(tensor.name())
                  + " when it is read a second time: another file of this rank holds it too";
          case OVERWRITES ->
              quoted(tensor.name())
                  + " is there twice: the one that is read later overwrites the other, without a"
                  + " word";
        };
    return fault(ContractCode.DUPLICATE_TENSOR, unit, tensor, message);
  }

  /** What becomes of a name that the model does not know, in the loader's words where it stops. */
  public static String unknownName(Loader loader, String name) {
    return switch (loader) {
      case SHARDED_STATE -> keyError(name);
      case PRESHARDED_EARLY ->
          "KeyError: "
              + quoted(
                  "Presharded ckpt has parameter '%s' that is not present in the initialized model."
                      .formatted(name));
      case PRESHARDED_MERGED -> "the loader leaves %s out".formatted(quoted(name));
      case HUGGINGFACE ->
          "no parameter of the model is called %s, so that strict loaders stop and others leave it out"
              .formatted(quoted(name));
    };
  }

  private static String missingNames(Loader loader, Collection<String> names) {
    return switch (loader) {
      case SHARDED_STATE -> missingKeys(names);
      case PRESHARDED_EARLY, PRESHARDED_MERGED ->
          "ValueError: Missing keys %s in presharded checkpoint".formatted(tuple(names));
      case HUGGINGFACE ->
          "no file holds %s: strict loaders stop, others leave the parameters as they were made"
              .formatted(
                  names.stream().map(LoaderContract::quoted).collect(Collectors.joining(", ")));
    };
  }

  private static List<Finding> form(
      Loader loader, UnitId unit, NamedTensor tensor, ExpectedTensor parameter) {
    List<Finding> faults = new ArrayList<>();
    parameter
        .shape()
        .filter(shape -> !shape.equals(tensor.shape()))
        .ifPresent(shape -> faults.add(shapeFault(loader, unit, tensor, shape)));
    if (!parameter.dtype().isEmpty() && !parameter.dtype().equals(tensor.dtype())) {
      faults.add(
          fault(
              ContractCode.DTYPE_CAST,
              unit,
              tensor,
              "%s is stored as %s, expected %s: the engine loads this, with a cast: each number that %s does not have becomes another one, without a word"
                  .formatted(
                      quoted(tensor.name()),
                      tensor.dtype(),
                      parameter.dtype(),
                      parameter.dtype())));
    }
    return faults;
  }

  private static Finding shapeFault(
      Loader loader, UnitId unit, NamedTensor tensor, Shape expected) {
    ShapeFit fit = ShapeFit.of(loader, tensor.shape(), expected);
    String what =
        switch (fit) {
          case TOO_LARGE ->
              tensor.shape().rank() > expected.rank()
                  ? "more dimensions than the parameter has, the engine raises"
                  : "larger than the parameter, the engine raises";
          case REFUSED -> "not the parameter's shape, the engine raises";
          case NARROWED ->
              loader.otherShape() == Loader.OtherShape.FILLED_IN_PART
                  ? "the engine fills that part of the parameter without a word, and leaves the"
                      + " rest unset"
                  : "the engine narrows the parameter, logs a warning, and leaves the rest unset";
          case BROADCAST ->
              "the engine loads this, with a broadcast: "
                  + (ShapeFit.haveTheSameValues(tensor.shape(), expected)
                      ? "the same values in another shape"
                      : "the values are repeated until they fill the parameter");
        };
    return fault(
        fit.code(),
        unit,
        tensor,
        "%s is stored as %s, expected %s: %s"
            .formatted(quoted(tensor.name()), tensor.shape(), expected, what));
  }

  private static Finding fault(ContractCode code, UnitId unit, NamedTensor tensor, String message) {
    return fault(code, unit, tensor.shard(), tensor.name(), message);
  }

  /** A place where a load unit breaks the loader's contract. */
  public static Finding fault(
      ContractCode code, UnitId unit, String shard, String tensor, String message) {
    return Finding.fault(code.id(), shard, tensor, "%s: %s".formatted(unit.label(), message));
  }

  /** The engine's words for a name that it does not expect. */
  public static String keyError(String name) {
    return "KeyError: " + quoted(name);
  }

  /** The engine's words for names that no file holds. */
  public static String missingKeys(Collection<String> names) {
    return "ValueError: Missing keys %s in loaded state!".formatted(tuple(names));
  }

  /** Names as Python prints a tuple of them. */
  private static String tuple(Collection<String> names) {
    return names.stream()
        .map(LoaderContract::quoted)
        .collect(Collectors.joining(", ", "(", names.size() == 1 ? ",)" : ")"));
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
