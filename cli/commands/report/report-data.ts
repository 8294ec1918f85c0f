/**
 * Contents of a report's page: the people, the objects, and the facts that decide access. Positions in the lists stand
 * for objects, and times are milliseconds since 1970, so that thousands of people stay a small file.
 */
export interface ReportData {
  /** The address of the workspace. */
  workspace: string;
  /** Time at which it was read. */
  readAt: number;
  /** The moment that the report is for. */
  at: number;
  people: PersonEntry[];
  dataSources: DataSourceEntry[];
  roles: RoleEntry[];
  permissions: PermissionEntry[];
  /** The notes of permissions and memberships, where the report was made with definitions. */
  notes?: NoteEntry[];
}

export interface PersonEntry {
  username: string;
  name: string;
  locked?: true;
}

export interface DataSourceEntry {
  /** The alias or, where there is none, the name. */
  alias: string;
  name: string;
}

export interface RoleEntry extends NoteEntry {
  name: string;
  people: MemberEntry[];
  dataSources: MemberEntry[];
}

/** Why a permission or membership is given, who answers for it, and where it is declared. */
export interface NoteEntry {
  reason?: string;
  owner?: string;
  place?: string;
}

/** A position, since when and, for a time in the role, until when; a person has one for each time. */
export type MemberEntry = [index: number, since: number, until?: number | null, note?: number];

export type PermissionEntry = [person: number, dataSource: number, startsAt: number, expiresAt: number, note?: number];
