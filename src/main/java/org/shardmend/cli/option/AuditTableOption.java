package org.shardmend.cli.option;

import java.util.Optional;
import org.shardmend.audit.CatalogName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Where in one of Spark's catalogs the audit's rows go, too. */
public final class AuditTableOption {
  @Option(
      names = "--audit-table",
      paramLabel = "CATALOG.DB",
      converter = Name.class,
      description =
          "Append the audit's rows to the tables tensors, shards and runs of this namespace, too;"
              + " they are made when missing. Spark must know the catalog: --conf"
              + " spark.sql.catalog.CATALOG=CLASS.")
  private CatalogName name;

  public Optional<CatalogName> name() {
    return Optional.ofNullable(name);
  }

  private static final class Name implements ITypeConverter<CatalogName> {
    @Override
    public CatalogName convert(String text) {
      try {
        return CatalogName.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
