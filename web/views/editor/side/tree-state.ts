import { computed, signal } from '@preact/signals';
import type { Catalogue, KnownTable } from '../../../editor/catalogue.ts';
import { rowsOf } from './schema-row.tsx';

/** The height of a row in pixels, as in the style sheet, and how many rows are drawn beyond what is seen. */
export const rowHeight = 28;
const beyond = 8;

/** The tree of tables: what is sought, which tables are open, which row is current, and which rows are seen. */
export class TreeState {
  readonly wanted = signal('');
  readonly open = signal<ReadonlySet<KnownTable>>(new Set());
  readonly at = signal(0);
  readonly rows = computed(() => rowsOf(this.#catalogue, this.wanted.value, this.open.value));
  /** The rows to draw, without the last one. */
  readonly drawn = computed(() => ({
    from: Math.max(0, Math.floor(this.#top.value / rowHeight) - beyond),
    to: Math.min(this.rows.value.length, Math.ceil((this.#top.value + this.#height.value) / rowHeight) + beyond),
  }));
  readonly #catalogue: Catalogue;
  readonly #top = signal(0);
  readonly #height = signal(600);

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  find(wanted: string): void {
    this.wanted.value = wanted;
    this.at.value = 0;
  }

  /** Tells which part is seen, in pixels. */
  show(top: number, height: number): void {
    this.#top.value = top;
    this.#height.value = height;
  }

  toggle(table: KnownTable, isOpen = !this.open.value.has(table)): void {
    const next = new Set(this.open.value);
    if (isOpen) {
      next.add(table);
      this.#catalogue.readColumns(table).catch(this.#catalogue.fail);
    } else next.delete(table);
    this.open.value = next;
  }

  /** Moves, opens or closes, as a tree does. @returns false for a key that means nothing here */
  press(key: string): boolean {
    const at = this.at.value;
    const last = this.rows.value.length - 1;
    const page = Math.floor(this.#height.value / rowHeight);
    const moves = new Map([
      ['ArrowDown', at + 1],
      ['ArrowUp', at - 1],
      ['PageDown', at + page],
      ['PageUp', at - page],
      ['Home', 0],
      ['End', last],
    ]);
    const move = moves.get(key);
    const row = this.rows.value[at];
    if (move !== undefined) this.at.value = Math.max(0, Math.min(last, move));
    else if (key === 'ArrowRight' && row !== undefined && row.column === undefined) this.toggle(row.table, true);
    else if (key === 'ArrowLeft' && row !== undefined) this.toggle(row.table, false);
    else return false;
    return true;
  }
}
