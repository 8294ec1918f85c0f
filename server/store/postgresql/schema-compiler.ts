import { ColumnDefinitionNode, DataTypeNode, GeneratedNode, PostgresQueryCompiler } from 'kysely';

/** What PostgreSQL makes of the types that migrations are written in. */
const types: Readonly<Record<string, string>> = {
  // By their bytes, as SQLite compares: most other collations have timestamps and identifiers in another order.
  text: 'text collate "C"',
  integer: 'bigint',
  blob: 'bytea',
};

/** Compiles for PostgreSQL what migrations and statements write for every store. */
export class SchemaCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(types[node.dataType] ?? node.dataType);
  }

  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    super.visitColumnDefinition(isNumbered(node) ? numbered(node) : node);
  }
}

/** SQLite numbers such a column without being told to. */
function isNumbered({ dataType, primaryKey }: ColumnDefinitionNode): boolean {
  return primaryKey === true && DataTypeNode.is(dataType) && dataType.dataType === 'integer';
}

/** Its numbers never come a second time, whether or not SQLite was told so (`autoincrement`). */
function numbered(node: ColumnDefinitionNode): ColumnDefinitionNode {
  const generated = GeneratedNode.create({ identity: true, byDefault: true });
  return ColumnDefinitionNode.cloneWith(node, { autoIncrement: false, generated });
}
