import { csvOf } from '../../../output/csv.ts';
import type { NoteEntry, ReportData } from '../report-data.ts';
import type { Group } from './filter.ts';
import { type State, stateOf } from './lanes.ts';

/** One way by which one person reaches one data source in one window, as a table and a spreadsheet have it. */
export interface Row {
  person: string;
  name: string;
  dataSource: string;
  /** The name of the role; undefined for a permission. */
  role: string | undefined;
  state: State;
  start: number;
  end: number | undefined;
  /** Why it was given and where it is declared, where the report was made with definitions. */
  reason: string;
  /** Person or team that answers for it. */
  owner: string;
  declared: string;
}

/** The rows of all groups, in their order. */
export function rowsOf(groups: readonly Group[], data: ReportData, at: number): Row[] {
  return groups.flatMap(({ lanes }) =>
    lanes.flatMap(({ person, dataSource, role, windows }) =>
      windows.map(({ start, end, note }): Row => {
        const { username = '', name = '', locked } = data.people[person] ?? {};
        const source = noteOn(role, note, data);
        return {
          person: username,
          name,
          dataSource: data.dataSources[dataSource]?.alias ?? '',
          role: role === undefined ? undefined : (data.roles[role]?.name ?? ''),
          state: stateOf({ start, end }, locked === undefined ? {} : { locked }, at),
          start,
          end,
          reason: source.reason ?? '',
          owner: source.owner ?? '',
          declared: source.place ?? '',
        };
      }),
    ),
  );
}

/** The note on one way; that of a membership goes before that of its role. */
export function noteOn(role: number | undefined, note: number | undefined, { roles, notes }: ReportData): NoteEntry {
  return { ...roles[role ?? -1], ...notes?.[note ?? -1] };
}

/** The rows as a spreadsheet reads them. */
export function csvOfRows(rows: readonly Row[]): string {
  return csvOf(rows, {
    person: ({ person }) => person,
    name: ({ name }) => name,
    'data source': ({ dataSource }) => dataSource,
    role: ({ role = '' }) => role,
    state: ({ state }) => state,
    from: ({ start }) => (start === 0 ? '' : new Date(start).toISOString()),
    until: ({ end }) => (end === undefined ? '' : new Date(end).toISOString()),
    reason: ({ reason }) => reason,
    owner: ({ owner }) => owner,
    declared: ({ declared }) => declared,
  });
}
