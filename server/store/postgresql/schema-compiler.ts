import { ColumnDefinitionNode, DataTypeNode, GeneratedNode, PostgresQueryCompiler } from 'kysely';

/** PostgreSQL's types for those that migrations use. */
const types: Readonly<Record<string, string>> = {
  // Compares bytes, as SQLite does: most other collations order timestamps and identifiers differently.
  text: 'text collate "C"',
  integer: 'bigint',
  blob: 'bytea',
};

/** Compiles migrations and statements, which are written for every store, for PostgreSQL. */
export class SchemaCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(types[node.dataType] ?? node.dataType);
  }

  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    super.visitColumnDefinition(isNumbered(node) ? numbered(node) : node);
  }
}

/** SQLite numbers such a column by default. */
function isNumbered({ dataType, primaryKey }: ColumnDefinitionNode): boolean {
  return primaryKey === true && DataTypeNode.is(dataType) && dataType.dataType === 'integer';
}

/** Never reuses a number, whether or not SQLite is asked to do so (`autoincrement`). */
function numbered(node: ColumnDefinitionNode): ColumnDefinitionNode {
  const generated = GeneratedNode.create({ identity: true, byDefault: true });
  return ColumnDefinitionNode.cloneWith(node, { autoIncrement: false, generated });
}
