import { byId } from './dom.ts';
import type { Group } from './filter.ts';
import { drawGroup } from './group-view.ts';
import type { Drawing } from './lane-view.ts';
import type { Row } from './rows.ts';
import { drawTable, sortRows, type TableOrder } from './table-view.ts';

/** Numbers of groups and rows that are drawn at first. Thousands of groups at once would make every key press slow. */
const firstPage = { groups: 30, folded: 200, rows: 200 };

/** The content of a list, and how to draw it. */
export interface Listing {
  readonly groups: readonly Group[];
  readonly drawing: Drawing;
  /** A line a group. */
  readonly isFolded: boolean;
  /** Nothing is left out, as on paper. */
  readonly isWhole: boolean;
}

/**
 * Draws groups, a page of them first.
 *
 * @param onPick called with the group that the reader picks
 */
export function drawList({ groups, drawing, isFolded, isWhole }: Listing, onPick: (index: number) => void): void {
  const list = byId('groups');
  list.replaceChildren();
  byId('table').replaceChildren();
  byId('nothing').hidden = groups.length > 0;
  const append = (to: number): void => {
    const from = list.childElementCount;
    const lanes = isWhole ? Infinity : isFolded ? 0 : undefined;
    list.append(...groups.slice(from, to).map((group) => drawGroup(group, drawing, onPick, lanes)));
  };
  const first = isFolded ? firstPage.folded : firstPage.groups;
  append(isWhole ? Infinity : first);
  enter(list, 0);
  offerMore(groups.length, list.childElementCount, (to) => {
    const drawn = list.childElementCount;
    append(to);
    enter(list, drawn)?.focus();
    return list.childElementCount;
  });
}

/** Draws a table of rows, the first of them first; sorting goes over all. */
export function drawRows(rows: readonly Row[], isWhole: boolean, order?: TableOrder): void {
  byId('groups').replaceChildren();
  byId('nothing').hidden = rows.length > 0;
  const sorted = sortRows(rows, order);
  const draw = (to: number): number => {
    const cut = sorted.slice(0, to);
    const table = drawTable(cut, order, (next) => {
      drawRows(rows, isWhole, next);
    });
    byId('table').replaceChildren(...(rows.length > 0 ? [table] : []));
    return cut.length;
  };
  offerMore(rows.length, draw(isWhole ? Infinity : firstPage.rows), draw);
}

/** Offers two buttons: one doubles the number of shown items, the other shows everything. So even a long list takes a few clicks. */
function offerMore(all: number, first: number, drawTo: (to: number) => number): void {
  const [more, whole] = [byId('more', HTMLButtonElement), byId('show-all', HTMLButtonElement)];
  const show = (drawn: number): void => {
    const left = all - drawn;
    more.hidden = left === 0;
    whole.hidden = left === 0;
    more.textContent = `Show ${Math.min(drawn, left).toLocaleString('en')} more`;
    whole.textContent = `Show all (${left.toLocaleString('en')} left)`;
    more.onclick = () => {
      show(drawTo(drawn * 2));
    };
    whole.onclick = () => {
      show(drawTo(Infinity));
    };
  };
  show(first);
}

/** The list is one stop of the tab key; inside it, arrows move from heading to heading. */
export function moveByArrows(): void {
  const list = byId('groups');
  list.addEventListener('keydown', (event) => {
    const picks = [...list.querySelectorAll<HTMLElement>('.pick')];
    const current = picks.findIndex((pick) => pick === document.activeElement);
    const next = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: picks.length - 1 }[event.key];
    if (current === -1 || next === undefined) return;
    event.preventDefault();
    if (next >= picks.length) byId('more').focus();
    else enter(list, Math.max(0, next))?.focus();
  });
}

/** Makes one heading the stop of the tab key. */
function enter(list: HTMLElement, index: number): HTMLElement | undefined {
  const picks = [...list.querySelectorAll<HTMLElement>('.pick')];
  for (const [place, pick] of picks.entries()) pick.tabIndex = place === index ? 0 : -1;
  return picks[index];
}
