import { computed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Catalogue, KnownTable } from '../../editor/catalogue.ts';
import { Failure } from '../../parts/failure.tsx';
import { rowsOf, SchemaRow, type TreeRow } from './schema-row.tsx';

/** The height of a row in pixels, as in the style sheet, and how many rows are drawn beyond what is seen. */
const rowHeight = 28;
const beyond = 8;
/** How long after the last key the service is asked, in milliseconds. */
const pause = 200;

interface SchemaTreeProps {
  readonly catalogue: Catalogue;
  /** Puts a name into the text. */
  readonly insert: (table: KnownTable, column?: string) => void;
}

/** The tables of a data source, with their columns when they are opened. Only the rows that are seen are in the page. */
export function SchemaTree({ catalogue, insert }: SchemaTreeProps) {
  const wanted = useSignal('');
  const open = useSignal<ReadonlySet<KnownTable>>(new Set());
  const at = useSignal(0);
  const seen = useSignal({ top: 0, height: 600 });
  const rows = useMemo(() => computed(() => rowsOf(catalogue, wanted.value, open.value)), [catalogue]);
  useEffect(() => {
    const prefix = wanted.value.trim();
    if (prefix === '' || catalogue.isComplete.value) return undefined;
    const timer = setTimeout(() => {
      catalogue.search(prefix).catch((error: unknown) => {
        catalogue.error.value = error instanceof Error ? error : new Error(String(error));
      });
    }, pause);
    return () => {
      clearTimeout(timer);
    };
  }, [catalogue, wanted.value]);
  const list = rows.value;
  const from = Math.max(0, Math.floor(seen.value.top / rowHeight) - beyond);
  const to = Math.min(list.length, Math.ceil((seen.value.top + seen.value.height) / rowHeight) + beyond);
  const toggle = (table: KnownTable, isOpen = !open.value.has(table)) => {
    const next = new Set(open.value);
    if (isOpen) {
      next.add(table);
      catalogue.readColumns(table).catch((error: unknown) => {
        catalogue.error.value = error instanceof Error ? error : new Error(String(error));
      });
    } else next.delete(table);
    open.value = next;
  };
  const take = ({ table, column }: TreeRow) => {
    insert(table, column?.name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = list[at.value];
    const last = list.length - 1;
    const page = Math.floor(seen.value.height / rowHeight);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at.value + 1,
      ArrowUp: at.value - 1,
      PageDown: at.value + page,
      PageUp: at.value - page,
      Home: 0,
      End: last,
    };
    const move = moves[event.key];
    if (move !== undefined) at.value = Math.max(0, Math.min(last, move));
    else if (row === undefined) return;
    else if (event.key === 'ArrowRight' && row.column === undefined) toggle(row.table, true);
    else if (event.key === 'ArrowLeft') toggle(row.table, false);
    else if (event.key === 'Enter') take(row);
    else return;
    event.preventDefault();
    if (event.currentTarget instanceof HTMLElement) bringIntoView(event.currentTarget, at.value);
  };
  return (
    <section class="schema" aria-label="Tables">
      <div class="schema-head">
        <input
          type="search"
          aria-label="Find a table"
          placeholder="Find a table"
          onInput={(event) => {
            wanted.value = event.currentTarget.value;
            at.value = 0;
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
      {catalogue.error.value !== undefined && (
        <Failure error={catalogue.error.value} retry={() => void catalogue.read()} />
      )}
      {catalogue.tables.value === undefined && catalogue.error.value === undefined && (
        <p class="quiet">Reading the tables…</p>
      )}
      {!catalogue.isComplete.value && (
        <p class="quiet">There are more tables. A search finds those whose names begin so.</p>
      )}
      {catalogue.tables.value !== undefined && list.length === 0 && (
        <p class="quiet">{wanted.value.trim() === '' ? 'The database shows you no tables.' : 'No table was found.'}</p>
      )}
      <div
        class="schema-rows"
        role="tree"
        aria-label="Tables"
        tabIndex={0}
        aria-activedescendant={list[at.value] === undefined ? undefined : `schema-row-${at.value}`}
        ref={(element) => {
          if (element !== null && element.clientHeight > 0 && element.clientHeight !== seen.peek().height) {
            seen.value = { top: element.scrollTop, height: element.clientHeight };
          }
        }}
        onScroll={({ currentTarget }) => {
          seen.value = { top: currentTarget.scrollTop, height: currentTarget.clientHeight };
        }}
        onKeyDown={onKeyDown}
      >
        <div class="schema-room" role="none" style={{ height: `${list.length * rowHeight}px` }}>
          {list.slice(from, to).map((row, index) => (
            <SchemaRow
              key={`${row.table.schema} ${row.table.name} ${row.column?.name ?? ''}`}
              id={`schema-row-${from + index}`}
              row={row}
              top={(from + index) * rowHeight}
              isCurrent={from + index === at.value}
              isOpen={open.value.has(row.table)}
              choose={() => {
                at.value = from + index;
                if (row.column === undefined) toggle(row.table);
              }}
              take={() => {
                take(row);
              }}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

function bringIntoView(tree: HTMLElement, index: number): void {
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  if (top < tree.scrollTop) tree.scrollTop = top;
  else if (bottom > tree.scrollTop + tree.clientHeight) tree.scrollTop = bottom - tree.clientHeight;
}
