import type { ReportData } from '../report-data.ts';
import { make } from './dom.ts';
import { isEnding, laneState } from './filter.ts';
import { type Lane, type Lanes, mainWindow, type State, stateOf, type Window } from './lanes.ts';
import { noteOn } from './rows.ts';
import { place, type Scale } from './scale.ts';
import { showClose, showDate, showDistance, showTime } from './time.ts';

export interface Drawing {
  data: ReportData;
  lanes: Lanes;
  at: number;
  scale: Scale;
  by: 'person' | 'dataSource';
}

export const stateNames: Readonly<Record<State, string>> = {
  active: 'Active',
  upcoming: 'Upcoming',
  ended: 'Ended',
  locked: 'Locked out',
};

/** One row: the access and its ways, its windows to scale, and the same in words. */
export function drawLane(lane: Lane, drawing: Drawing): HTMLElement {
  const { data, at, lanes } = drawing;
  const state = laneState(lane, at, data);
  return make('li', `lane ${state}`, [
    make('div', 'what', [make('span', 'target', targetOf(lane, drawing)), make('span', 'way', wayOf(lane, data))], {
      title: [targetOf(lane, drawing), wayOf(lane, data), placeOf(lane, data)].join(' ').trim(),
    }),
    drawTrack(lane, drawing),
    make('div', 'when', [
      isEnding(lane, at, data, lanes)
        ? make('span', 'state ending', 'Ends soon')
        : make('span', `state ${state}`, stateNames[state]),
      make('span', 'period', periodOf(lane, at, isEnding(lane, at, data, lanes)), { title: fullPeriodOf(lane, at) }),
    ]),
  ]);
}

function targetOf({ person, dataSource }: Lane, { data, by }: Drawing): string {
  if (by === 'person') return data.dataSources[dataSource]?.alias ?? '';
  return data.people[person]?.name ?? '';
}

function wayOf({ role, windows }: Lane, data: ReportData): string {
  if (role === undefined && windows.length > 1) return `by ${windows.length} permissions`;
  const { reason } = noteOn(role, windows[0]?.note, data);
  const way = role === undefined ? 'by permission' : `through ${data.roles[role]?.name ?? ''}`;
  return reason === undefined ? way : `${way}: ${reason}`;
}

/** Tells where a lane is declared, if the report was made with definitions. */
function placeOf({ role, windows }: Lane, data: ReportData): string {
  const { place } = noteOn(role, windows[0]?.note, data);
  return place === undefined ? '' : `(${place})`;
}

/** The main window in a few words; the time of day is told only where it is close. */
function periodOf(lane: Lane, at: number, isClose: boolean): string {
  const window = mainWindow(lane, at);
  if (window === undefined) return '';
  const { start, end } = window;
  const more = lane.windows.length > 1 ? ` (+${lane.windows.length - 1})` : '';
  if (end !== undefined && end <= at) return `on ${showDate(end)}${more}`;
  if (start > at)
    return end === undefined ? `from ${showDate(start)}` : `${showDate(start)} to ${showDate(end)}${more}`;
  if (end === undefined) return start === 0 ? 'no end' : `since ${showDate(start)}, no end`;
  return isClose ? `${showDistance(end, at)}, ${showClose(end)}${more}` : `until ${showDate(end)}${more}`;
}

function fullPeriodOf(lane: Lane, at: number): string {
  const window = mainWindow(lane, at);
  return window === undefined ? '' : titleOf(window);
}

/** The windows as bars. The words beside them say the same, so screen readers skip the bars. */
function drawTrack(lane: Lane, { data, at, scale }: Drawing): HTMLElement {
  const bars = lane.windows
    .filter(({ start, end }) => start < scale.to && (end === undefined || end > scale.from))
    .map((window) => drawBar(window, stateOf(window, data.people[lane.person] ?? {}, at), scale));
  return make('div', 'track', bars, { 'aria-hidden': 'true' });
}

function drawBar(window: Window, state: State, scale: Scale): HTMLElement {
  const { start, end } = window;
  const left = Math.max(0, place(scale, start));
  const right = end === undefined ? 100 : Math.min(100, place(scale, end));
  const shape = [
    ...(start < scale.from ? ['before'] : []),
    ...(end === undefined ? ['open'] : end > scale.to ? ['after'] : []),
  ];
  const bar = make('span', ['bar', state, ...shape].join(' '), '', { title: titleOf(window) });
  bar.style.left = `${left}%`;
  bar.style.width = `${right - left}%`;
  return bar;
}

function titleOf({ start, end }: Window): string {
  const from = start === 0 ? '' : `from ${showTime(start)} `;
  return end === undefined ? `${from}with no end` : `${from}to ${showTime(end)} UTC`;
}
