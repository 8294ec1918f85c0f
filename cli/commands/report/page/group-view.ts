import { make } from './dom.ts';
import { type Group, laneState } from './filter.ts';
import { type Drawing, drawLane } from './lane-view.ts';

/** Lanes of a group that the page draws at first. */
const lanesPerPage = 20;

/** A person with their data sources, or a data source with its people. */
export function drawGroup(
  { index, lanes }: Group,
  drawing: Drawing,
  onPick: (index: number) => void,
  lanesAtOnce = lanesPerPage,
): HTMLElement {
  const { title, detail, isLocked } = headingOf(index, drawing);
  const pick = make(
    'button',
    'pick',
    [make('span', 'avatar', initialsOf(title), { 'aria-hidden': 'true' }), make('span', 'title', title)],
    { type: 'button', tabindex: '-1' },
  );
  pick.addEventListener('click', () => {
    onPick(index);
  });
  const heading = make('div', 'heading', [
    make('h2', '', [pick]),
    make('span', 'detail', detail),
    isLocked ? make('span', 'badge locked', 'Locked') : undefined,
    make('span', 'count', countOf({ index, lanes }, drawing)),
  ]);
  const list = make('ul', 'lanes');
  const group = make('li', isLocked ? 'group is-locked' : 'group', [heading, list]);
  if (lanesAtOnce > 0) appendLanes(group, list, { index, lanes }, { from: 0, count: lanesAtOnce }, drawing);
  return group;
}

/** Draws the next lanes, and a button for all after them. */
function appendLanes(
  group: HTMLElement,
  list: HTMLElement,
  { index, lanes }: Group,
  { from, count }: { from: number; count: number },
  drawing: Drawing,
): void {
  const to = from + count;
  list.append(...lanes.slice(from, to).map((lane) => drawLane(lane, drawing)));
  if (to >= lanes.length) return;
  const left = (lanes.length - to).toLocaleString('en');
  const more = make('button', 'more-lanes', `Show all (${left} more)`, { type: 'button' });
  more.addEventListener('click', () => {
    const last = list.lastElementChild;
    more.remove();
    appendLanes(group, list, { index, lanes }, { from: to, count: Infinity }, drawing);
    const next = last?.nextElementSibling;
    if (next instanceof HTMLElement) {
      // Keeps the keyboard focus where the button was.
      next.tabIndex = -1;
      next.focus();
    }
  });
  group.append(more);
}

function headingOf(index: number, { data, by }: Drawing) {
  if (by === 'person') {
    const { name = '', username = '', locked = false } = data.people[index] ?? {};
    return { title: name, detail: username, isLocked: locked };
  }
  const { alias = '', name = '' } = data.dataSources[index] ?? {};
  return { title: alias, detail: name === alias ? '' : name, isLocked: false };
}

/** Counts the access at the moment, in any way. */
function countOf({ lanes }: Group, { data, at, by }: Drawing): string {
  const active = lanes.filter((lane) => laneState(lane, at, data) === 'active');
  const reached = new Set(active.map(({ person, dataSource }) => (by === 'person' ? dataSource : person))).size;
  if (by === 'person') return reached === 0 ? 'reaches nothing' : `reaches ${reached} data source${plural(reached)}`;
  const people = reached === 1 ? 'person' : 'people';
  return reached === 0 ? 'reached by no one' : `reached by ${reached.toLocaleString('en')} ${people}`;
}

const plural = (count: number): string => (count === 1 ? '' : 's');

function initialsOf(title: string): string {
  const words = title.split(/[\s._-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''];
  return (firstLetter(first) + firstLetter(last)).toUpperCase();
}

function firstLetter(word: string): string {
  return String.fromCodePoint(...[word.codePointAt(0)].filter((point) => point !== undefined));
}
