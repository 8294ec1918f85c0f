import { byId, make } from './dom.ts';
import type { Group } from './filter.ts';
import { drawGroup } from './group-view.ts';
import type { Drawing } from './lane-view.ts';

/** How many groups are drawn at first, and each time more are asked for. */
const groupsPerPage = 30;

/**
 * Draws groups, a page of them at a time: thousands at once would make every key press slow.
 *
 * @param onPick what to do with a group that somebody chooses
 */
export function drawList(groups: readonly Group[], drawing: Drawing, onPick: (index: number) => void): void {
  const list = byId('groups');
  const more = byId('more', HTMLButtonElement);
  list.replaceChildren();
  byId('nothing').hidden = groups.length > 0;
  const append = (): void => {
    const from = list.childElementCount;
    list.append(...groups.slice(from, from + groupsPerPage).map((group) => drawGroup(group, drawing, onPick)));
    const left = groups.length - list.childElementCount;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(groupsPerPage, left)} more (${left.toLocaleString('en')} left)`;
  };
  append();
  enter(list, 0);
  more.onclick = () => {
    const first = list.childElementCount;
    append();
    enter(list, first)?.focus();
  };
}

/** The list is one stop of the tab key; inside of it arrows go from heading to heading. */
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

/** Shows nothing but a sentence, where the page cannot go on. */
export function drawFailure(message: string): void {
  byId('groups').replaceChildren(make('li', 'failure', message));
}
