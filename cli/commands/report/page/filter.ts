import type { ReportData } from '../report-data.ts';
import { endOfAccess, type Lane, type Lanes, mainWindow, type State, stateOf } from './lanes.ts';
import type { Span } from './scale.ts';
import { day } from './time.ts';

export type StateFilter = State | 'ending' | 'none' | '';

/** View of the page. It is part of the address, so that people can share a view. */
export interface Filter {
  text: string;
  /** A username; empty for everyone. */
  person: string;
  /** An alias; empty: all. */
  dataSource: string;
  /** A name; empty: all. */
  role: string;
  state: StateFilter;
  by: 'person' | 'dataSource';
  span: Span;
  /** Number of half stretches by which the time line begins later. */
  shift: number;
  /** The moment for which states are told. */
  at: number;
  view: View;
  sort: Sort;
}

/** With a time line, a line a group, or a table of all windows. */
export type View = 'lines' | 'folded' | 'table';
/** By name, by the amount of access, or by what ends next. */
export type Sort = 'name' | 'most' | 'end';

/** A person or data source, with the lanes that pass. */
export interface Group {
  index: number;
  lanes: readonly Lane[];
}

/** Access that ends within a week needs attention. */
const soon = 7 * day;

/** The groups that pass a filter, in their order. Without any filter those with no access are shown, too. */
export function groupsOf(filter: Filter, data: ReportData, lanes: Lanes): Group[] {
  const passes = lanePredicate(filter, data, lanes);
  const isPerson = filter.by === 'person';
  const names = isPerson ? data.people.map(personText) : data.dataSources.map(dataSourceText);
  const lanesOf = isPerson ? lanes.ofPerson : lanes.ofDataSource;
  const words = wordsOf(filter.text);
  const groups: Group[] = [];
  for (const [index, name] of names.entries()) {
    if (isPerson && filter.person !== '' && data.people[index]?.username !== filter.person) continue;
    if (!isPerson && filter.dataSource !== '' && data.dataSources[index]?.alias !== filter.dataSource) continue;
    const all = lanesOf(index);
    const showsEmpty = canBeEmpty(filter) && words.every((word) => name.includes(word));
    if (filter.state === 'none') {
      const isOut = isPerson ? !all.some((lane) => laneState(lane, filter.at, data) === 'active') : all.length === 0;
      if (isOut && words.every((word) => name.includes(word))) groups.push({ index, lanes: all });
      continue;
    }
    const shown = all.filter(passes);
    if (shown.length > 0 || (showsEmpty && all.length === 0)) groups.push({ index, lanes: shown });
  }
  return groups;
}

/** Groups in an order; equal ones stay as they were, by name. */
export function sortGroups(groups: readonly Group[], { sort, at }: Filter, data: ReportData): readonly Group[] {
  if (sort === 'name') return groups;
  const active = ({ lanes }: Group): Lane[] => lanes.filter((lane) => laneState(lane, at, data) === 'active');
  const keyOf =
    sort === 'most'
      ? (group: Group) => -active(group).length
      : (group: Group) => Math.min(...active(group).map((lane) => mainWindow(lane, at)?.end ?? Infinity));
  const keyed = groups.map((group) => ({ group, key: keyOf(group) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ group }) => group);
}

/** The state of a lane is that of its main window. */
export function laneState(lane: Lane, at: number, { people }: Pick<ReportData, 'people'>): State {
  const window = mainWindow(lane, at);
  return window === undefined ? 'ended' : stateOf(window, people[lane.person] ?? {}, at);
}

/** True if a lane gives access now, and soon nothing does any more. */
export function isEnding(lane: Lane, at: number, data: Pick<ReportData, 'people'>, lanes: Lanes): boolean {
  const laneEnd = mainWindow(lane, at)?.end;
  if (laneEnd === undefined || laneEnd - at > soon || laneState(lane, at, data) !== 'active') return false;
  const end = endOfAccess(lanes.ofPerson(lane.person), lane.dataSource, at);
  return end !== undefined && end - at <= soon;
}

function lanePredicate(filter: Filter, data: ReportData, lanes: Lanes): (lane: Lane) => boolean {
  const people = data.people.map(personText);
  const dataSources = data.dataSources.map(dataSourceText);
  const roles = data.roles.map(({ name }) => name.toLowerCase());
  const words = wordsOf(filter.text);
  return (lane) => {
    if (filter.person !== '' && data.people[lane.person]?.username !== filter.person) return false;
    if (filter.dataSource !== '' && data.dataSources[lane.dataSource]?.alias !== filter.dataSource) return false;
    const role = lane.role === undefined ? undefined : data.roles[lane.role];
    if (filter.role !== '' && role?.name !== filter.role) return false;
    if (!hasState(lane, filter, data, lanes)) return false;
    return words.every(
      (word) =>
        people[lane.person]?.includes(word) === true ||
        dataSources[lane.dataSource]?.includes(word) === true ||
        (lane.role === undefined ? 'permission' : roles[lane.role])?.includes(word) === true,
    );
  };
}

function hasState(lane: Lane, { state, at }: Filter, data: ReportData, lanes: Lanes): boolean {
  if (state === '') return true;
  return state === 'ending' ? isEnding(lane, at, data, lanes) : laneState(lane, at, data) === state;
}

function canBeEmpty({ role, state, by, person, dataSource }: Filter): boolean {
  return role === '' && state === '' && (by === 'person' ? dataSource === '' : person === '');
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
const personText = ({ username, name }: ReportData['people'][number]): string => `${name} ${username}`.toLowerCase();
const dataSourceText = ({ alias, name }: ReportData['dataSources'][number]): string => `${alias} ${name}`.toLowerCase();
