import type { SchemaColumns } from '@rolecall/api';
import type { Catalogue, KnownTable } from '../../../editor/catalogue.ts';

/** A row of the tree: a table, or a column of it. */
export interface TreeRow {
  readonly table: KnownTable;
  readonly column?: SchemaColumns['columns'][number];
  /** Spelling of the name: with its schema, unless that is the default. */
  readonly label: string;
}

/** The rows of the tables whose names contain what is wanted, with the columns of those that are open. */
export function rowsOf(catalogue: Catalogue, wanted: string, open: ReadonlySet<KnownTable>): readonly TreeRow[] {
  const lower = wanted.trim().toLowerCase();
  return (catalogue.tables.value ?? []).flatMap((table): TreeRow[] => {
    const label = table.schema === catalogue.defaultSchema ? table.name : `${table.schema}.${table.name}`;
    if (lower !== '' && !label.toLowerCase().includes(lower)) return [];
    const columns = open.has(table) ? (catalogue.columnsOf(table)?.columns ?? []) : [];
    return [{ table, label }, ...columns.map((column) => ({ table, column, label: column.name }))];
  });
}

interface SchemaRowProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly top: number;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly choose: () => void;
  readonly take: () => void;
}

export function SchemaRow({ id, row, top, isCurrent, isOpen, choose, take }: SchemaRowProps) {
  const { column, label, table } = row;
  return (
    <div
      id={id}
      role="treeitem"
      class={column === undefined ? 'schema-row' : 'schema-row column'}
      aria-level={column === undefined ? 1 : 2}
      aria-expanded={column === undefined ? isOpen : undefined}
      aria-selected={isCurrent}
      title={column === undefined ? `${label}: Enter or a double click inserts it` : `${label} ${column.type}`}
      style={{ top: `${top}px` }}
      onClick={choose}
      onDblClick={take}
    >
      {column === undefined && (
        <span class="mark" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
      )}
      <span class="name">{label}</span>
      <span class="quiet">{column === undefined ? table.kind === 'view' && 'view' : columnType(column)}</span>
    </div>
  );
}

function columnType({ type, isNullable }: SchemaColumns['columns'][number]): string {
  return isNullable ? type : `${type} not null`;
}
