package org.shardmend.audit;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where an audit's tables are in one of Spark's catalogs: the catalog, and a namespace in it of one
 * level or more, such as {@code lake.shardmend}.
 *
 * @param parts the catalog first; at least two
 */
public record CatalogName(List<String> parts) implements Serializable {
  /** What every catalog takes, and no quoting changes. */
  private static final Pattern PART = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]*");

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if there are fewer than two, or one is no plain word
   */
  public CatalogName {
    parts = List.copyOf(parts);
    if (parts.size() < 2 || !parts.stream().allMatch(part -> PART.matcher(part).matches())) {
      throw new IllegalArgumentException(
          "'%s' is no CATALOG.DB; write a catalog's name and a namespace in it, of letters, digits, _ and -, such as lake.shardmend"
              .formatted(String.join(".", parts)));
    }
  }

  /**
   * Reads {@code CATALOG.DB}.
   *
   * @throws IllegalArgumentException if it is something else
   */
  public static CatalogName parse(String text) {
    return new CatalogName(Arrays.asList(text.split("\\.", -1)));
  }

  /** The catalog's name, the KEY in Spark's setting {@code spark.sql.catalog.KEY}. */
  public String catalog() {
    return parts.get(0);
  }

  /** The namespace as SQL takes it. */
  String sql() {
    return parts.stream().map(part -> "`" + part + "`").collect(Collectors.joining("."));
  }

  /** A table in the namespace, as SQL takes it. */
  String sql(AuditTable<?> table) {
    return sql() + ".`" + table.name() + "`";
  }

  @Override
  public String toString() {
    return String.join(".", parts);
  }
}
