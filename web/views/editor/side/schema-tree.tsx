import { useEffect, useMemo } from 'preact/hooks';
import type { Catalogue, KnownTable } from '../../../editor/catalogue.ts';
import { Failure } from '../../../parts/failure.tsx';
import { SchemaRow, type TreeRow } from './schema-row.tsx';
import { rowHeight, TreeState } from './tree-state.ts';

/** Milliseconds after the last key at which the service is asked. */
const pause = 200;

interface SchemaTreeProps {
  readonly catalogue: Catalogue;
  /** Puts a name into the text. */
  readonly insert: (table: KnownTable, column?: string) => void;
}

/** The tables of a data source, with their columns when they are opened, and a field to find one. */
export function SchemaTree({ catalogue, insert }: SchemaTreeProps) {
  const tree = useMemo(() => new TreeState(catalogue), [catalogue]);
  const wanted = tree.wanted.value.trim();
  useEffect(() => {
    if (wanted === '' || catalogue.isComplete.value) return undefined;
    const timer = setTimeout(() => {
      catalogue.search(wanted).catch(catalogue.fail);
    }, pause);
    return () => {
      clearTimeout(timer);
    };
  }, [catalogue, wanted]);
  return (
    <section class="schema" aria-label="Tables">
      <div class="schema-head">
        <input
          type="search"
          aria-label="Find a table"
          placeholder="Find a table"
          onInput={(event) => {
            tree.find(event.currentTarget.value);
          }}
        />
        <button
          type="button"
          aria-label="Read the tables again"
          title="Read the tables again"
          onClick={() => void catalogue.read(true)}
        >
          ↻
        </button>
      </div>
      <Remarks tree={tree} catalogue={catalogue} />
      <Rows
        tree={tree}
        take={({ table, column }) => {
          insert(table, column?.name);
        }}
      />
    </section>
  );
}

/** Shows remarks that the rows do not make by themselves. */
function Remarks({ tree, catalogue }: { readonly tree: TreeState; readonly catalogue: Catalogue }) {
  const error = catalogue.error.value;
  const tables = catalogue.tables.value;
  return (
    <>
      <Failure error={error} retry={() => void catalogue.read()} />
      {tables === undefined && error === undefined && <p class="quiet">Reading the tables…</p>}
      {!catalogue.isComplete.value && (
        <p class="quiet">There are more tables. A search finds those whose names begin so.</p>
      )}
      {tables !== undefined && tree.rows.value.length === 0 && (
        <p class="quiet">
          {tree.wanted.value.trim() === '' ? 'The database shows you no tables.' : 'No table was found.'}
        </p>
      )}
    </>
  );
}

interface RowsProps {
  readonly tree: TreeState;
  readonly take: (row: TreeRow) => void;
}

/** Only the rows that are seen are in the page. */
function Rows({ tree, take }: RowsProps) {
  const rows = tree.rows.value;
  const at = tree.at.value;
  const { from, to } = tree.drawn.value;
  return (
    <div
      class="schema-rows"
      role="tree"
      aria-label="Tables"
      tabIndex={0}
      aria-activedescendant={rows[at] === undefined ? undefined : `schema-row-${at}`}
      ref={(element) => {
        if (element !== null && element.clientHeight > 0) tree.show(element.scrollTop, element.clientHeight);
      }}
      onScroll={({ currentTarget }) => {
        tree.show(currentTarget.scrollTop, currentTarget.clientHeight);
      }}
      onKeyDown={(event) => {
        const row = rows[at];
        if (event.key === 'Enter' && row !== undefined) take(row);
        else if (!tree.press(event.key)) return;
        event.preventDefault();
        bringIntoView(event.currentTarget, tree.at.value);
      }}
    >
      <div class="schema-room" role="none" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(from, to).map((row, index) => (
          <SchemaRow
            key={`${row.table.schema} ${row.table.name} ${row.column?.name ?? ''}`}
            id={`schema-row-${from + index}`}
            row={row}
            top={(from + index) * rowHeight}
            isCurrent={from + index === at}
            isOpen={tree.open.value.has(row.table)}
            choose={() => {
              tree.at.value = from + index;
              if (row.column === undefined) tree.toggle(row.table);
            }}
            take={() => {
              take(row);
            }}
          />
        ))}
      </div>
    </div>
  );
}

function bringIntoView(tree: HTMLElement, index: number): void {
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  if (top < tree.scrollTop) tree.scrollTop = top;
  else if (bottom > tree.scrollTop + tree.clientHeight) tree.scrollTop = bottom - tree.clientHeight;
}
