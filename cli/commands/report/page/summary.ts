import type { ReportData } from '../report-data.ts';
import { byId } from './dom.ts';
import { type Filter, isEnding, laneState, type StateFilter } from './filter.ts';
import type { Lanes } from './lanes.ts';

/** Counts the people in each state that the tiles show. */
export function countPeople(data: ReportData, lanes: Lanes, at: number): Record<string, number> {
  const counts = { active: 0, ending: 0, upcoming: 0, locked: 0, none: 0 };
  for (const [index, person] of data.people.entries()) {
    const personLanes = lanes.ofPerson(index);
    const states = new Set(personLanes.map((lane) => laneState(lane, at, data)));
    if (states.has('active')) counts.active += 1;
    else counts.none += 1;
    if (states.has('upcoming')) counts.upcoming += 1;
    if (person.locked === true) counts.locked += 1;
    if (personLanes.some((lane) => isEnding(lane, at, data, lanes))) counts.ending += 1;
  }
  return counts;
}

/** The tiles are counts and filters at once. */
export function drawTiles(counts: Record<string, number>, { state }: Filter): void {
  for (const tile of byId('tiles').querySelectorAll<HTMLButtonElement>('button[data-state]')) {
    const tileState = tile.dataset['state'] ?? '';
    const number = tile.querySelector('.number');
    if (number !== null) number.textContent = (counts[tileState] ?? 0).toLocaleString('en');
    tile.setAttribute('aria-pressed', String(state === tileState));
  }
}

/** Calls back with the state of a pressed tile, or with none if it is pressed again. */
export function watchTiles(current: () => StateFilter, onState: (state: StateFilter) => void): void {
  for (const tile of byId('tiles').querySelectorAll<HTMLButtonElement>('button[data-state]')) {
    tile.addEventListener('click', () => {
      // The page's own markup has only states.
      const state = tile.dataset['state'] as StateFilter;
      onState(current() === state ? '' : state);
    });
  }
}
