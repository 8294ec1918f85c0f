import type { PersonEntry, ReportData } from '../report-data.ts';

/** A stretch of time in which a lane gives access; no end: as long as both are in the role, whose time has no end. */
export interface Window {
  start: number;
  end: number | undefined;
  /** Its index in the notes of the report. */
  note?: number;
}

/** One way by which a person reaches a data source: a role, or all permissions for it. */
export interface Lane {
  person: number;
  dataSource: number;
  /** Undefined for permissions. */
  role: number | undefined;
  /** In the order of their starts. */
  windows: readonly Window[];
}

export type State = 'active' | 'upcoming' | 'ended' | 'locked';

export interface Lanes {
  /** The lanes of a person, by data source. */
  ofPerson: (person: number) => readonly Lane[];
  /** The lanes of a data source, by person. */
  ofDataSource: (dataSource: number) => readonly Lane[];
}

/** Finds lanes when they are asked for: all of them at once would be millions in a large workspace. */
export function createLanes({ roles, permissions }: Pick<ReportData, 'roles' | 'permissions'>): Lanes {
  const members = roles.flatMap(({ people }, role) =>
    people.map(([person, since, until, note]) => ({ person, role, since, until, note })),
  );
  const rolesOf = Map.groupBy(members, ({ person }) => person);
  const reached = roles.flatMap(({ dataSources }, role) =>
    dataSources.map(([dataSource, since, , note]) => ({ dataSource, role, since, note })),
  );
  const rolesReaching = Map.groupBy(reached, ({ dataSource }) => dataSource);
  const granted = permissions.toSorted((a, b) => a[2] - b[2] || a[3] - b[3]);
  const permissionsOf = Map.groupBy(granted, ([person]) => person);
  const permissionsOn = Map.groupBy(granted, ([, dataSource]) => dataSource);
  return {
    ofPerson: cached((person) => {
      const byRole = (rolesOf.get(person) ?? []).flatMap(({ role, since, until, note }) =>
        (roles[role]?.dataSources ?? []).map(([dataSource, from, , ofSource]) =>
          roleLane({ person, dataSource, role }, Math.max(since, from), until, note ?? ofSource),
        ),
      );
      const groups = Map.groupBy(permissionsOf.get(person) ?? [], ([, dataSource]) => dataSource);
      const lanes = [...byRole, ...[...groups].map(([dataSource, all]) => permissionLane(person, dataSource, all))];
      return lanes.sort((a, b) => a.dataSource - b.dataSource || inOrder(a, b));
    }),
    ofDataSource: cached((dataSource) => {
      const byRole = (rolesReaching.get(dataSource) ?? []).flatMap(({ role, since, note: ofSource }) =>
        (roles[role]?.people ?? []).map(([person, from, until, note]) =>
          roleLane({ person, dataSource, role }, Math.max(since, from), until, note ?? ofSource),
        ),
      );
      const groups = Map.groupBy(permissionsOn.get(dataSource) ?? [], ([person]) => person);
      const lanes = [...byRole, ...[...groups].map(([person, all]) => permissionLane(person, dataSource, all))];
      return lanes.sort((a, b) => a.person - b.person || inOrder(a, b));
    }),
  };
}

/** The state of one window at a moment; for a locked person it is locked while it would otherwise be active. */
export function stateOf({ start, end }: Window, { locked }: Pick<PersonEntry, 'locked'>, at: number): State {
  if (end !== undefined && end <= at) return 'ended';
  if (start > at) return 'upcoming';
  return locked === true ? 'locked' : 'active';
}

/** The window that says most at a moment: the one that holds longest, else the next one, else the last one. */
export function mainWindow({ windows }: Lane, at: number): Window | undefined {
  const holding = windows.filter(({ start, end }) => start <= at && (end === undefined || end > at));
  const longest = holding.sort((a, b) => (b.end ?? Infinity) - (a.end ?? Infinity))[0];
  return longest ?? windows.find(({ start }) => start > at) ?? windows.at(-1);
}

/**
 * Finds the moment at which a person stops reaching a data source, however many windows follow each other till then.
 *
 * @param lanes of the person
 * @returns undefined if there is no end, or no access at that moment
 */
export function endOfAccess(lanes: readonly Lane[], dataSource: number, at: number): number | undefined {
  const windows = lanes.filter((lane) => lane.dataSource === dataSource).flatMap((lane) => lane.windows);
  let end = at;
  for (let last = -Infinity; last < end; ) {
    last = end;
    for (const window of windows) {
      if (window.start > last) continue;
      if (window.end === undefined) return undefined;
      end = Math.max(end, window.end);
    }
  }
  return end === at ? undefined : end;
}

function roleLane(
  of: Pick<Lane, 'person' | 'dataSource' | 'role'>,
  start: number,
  end: number | null | undefined,
  note: number | undefined,
): Lane {
  return { ...of, windows: [{ start, end: end ?? undefined, ...(note === undefined ? {} : { note }) }] };
}

function permissionLane(person: number, dataSource: number, all: ReportData['permissions']): Lane {
  return { person, dataSource, role: undefined, windows: all.map(toWindow) };
}

function toWindow([, , start, end, note]: ReportData['permissions'][number]): Window {
  return note === undefined ? { start, end } : { start, end, note };
}

/** Roles before permissions. */
function inOrder(a: Lane, b: Lane): number {
  return (a.role ?? Infinity) - (b.role ?? Infinity) || 0;
}

function cached<T>(find: (index: number) => T): (index: number) => T {
  const values = new Map<number, T>();
  return (index) => {
    const value = values.get(index) ?? find(index);
    values.set(index, value);
    return value;
  };
}
