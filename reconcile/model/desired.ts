import type { AccessLevel, MembershipWindow } from '@rolecall/api';
import type { DeclaredOverride, DefinitionOf, ExactCollection, Rails } from '@rolecall/crds';

/**
 * The input of the engine from the front ends. References between objects are natural keys (username, alias, role name), already resolved
 * from whatever names the front end uses; ids appear only where a front end remembers them.
 */

/** The source of a secret. The engine never holds a secret; it asks the front end's resolver at the moment of use. */
export type SecretSource = { env: string } | { file: string } | { secretKeyRef: { name: string; key: string } };

/** An object that another one refers to, by the name that its natural key is made of. */
export interface ObjectReference {
  readonly kind: 'Person' | 'Role' | 'DataSource';
  readonly name: string;
}

interface Desired {
  /** The declared name (metadata.name), which messages use. */
  name: string;
  /** The file and line of the declaration, as in `access/people.yaml:12`; absent if it comes from no file. */
  place?: string;
  /**
   * The annotation `rolecall.dev/id`, or what the front end recorded when the object last converged; else its natural key decides.
   * A front end gives only ids that it recorded of the very store that is planned.
   */
  id?: string;
  /** True if the id is the annotation's: the definition may be of another workspace than the one that it is applied to. */
  isIdWritten?: true;
  /** `managementPolicy: Observe`: what would change is shown, nothing is written. */
  observeOnly: boolean;
  /** The annotation `rolecall.dev/paused`: the object is left as it is. */
  paused: boolean;
  /** Paused by the front end and not by its definition; the object's status says why. */
  waits?: boolean;
  /** The annotation `rolecall.dev/protected`: never removed without an explicit override. */
  protected: boolean;
  /** `deletionPolicy: Orphan`: the object stays when its definition goes. */
  orphaned?: true;
}

export interface DesiredPerson extends Desired {
  kind: 'Person';
  username: string;
  fullName: string;
  email: string;
  locked: boolean;
  /** Fields that someone else keeps, as a directory keeps names: a difference in one changes nothing. */
  ignored?: DefinitionOf<'Person'>['spec']['ignore'];
}

/** Why something is given and who answers for it. The service has no fields for them. */
interface Notes {
  reason?: string;
  owner?: string;
}

export interface DesiredRole extends Desired, Notes {
  kind: 'Role';
  role: string;
  /** Usernames: exactly these. Absent: left alone. */
  people?: readonly string[];
  /** Aliases: exactly these. Absent: left alone. */
  dataSources?: readonly string[];
  /** The annotation `rolecall.dev/critical`: caps how many people may lose it in one run. */
  critical?: boolean;
}

export interface DesiredRoleMembership extends Desired, Notes {
  kind: 'RoleMembership';
  role: string;
  member: { kind: 'Person'; username: string } | { kind: 'DataSource'; alias: string };
  /** The time in which a person has the role. If omitted, as long as the membership is there. */
  window?: MembershipWindow;
}

export interface DesiredDataSource extends Desired {
  kind: 'DataSource';
  alias: string;
  displayName: string;
  /** Without a password. */
  uri: string;
  /** Absent: the password that the service has is left alone. */
  password?: SecretSource;
  /** The annotation `rolecall.dev/critical`: caps how many people may lose it in one run. */
  critical?: boolean;
}

export interface DesiredPermission extends Desired {
  kind: 'Permission';
  person: string;
  dataSource: string;
  /** ISO 8601, UTC, milliseconds. Absent: from whenever it is first granted. */
  startsAt?: string;
  /** ISO 8601, UTC, milliseconds. */
  expiresAt: string;
  reason?: string;
  /** The annotation `rolecall.dev/ended`: over and kept for the record, so that it was never granted here is no error. */
  ended: boolean;
}

export interface DesiredSnippet extends Desired {
  kind: 'Snippet';
  snippet: string;
  description: string;
  text: string;
  owner?: { kind: 'Person'; username: string } | { kind: 'Role'; role: string };
  publicAccessLevel: AccessLevel;
  locked: boolean;
}

export type DesiredObject =
  | DesiredPerson
  | DesiredRole
  | DesiredRoleMembership
  | DesiredDataSource
  | DesiredPermission
  | DesiredSnippet;

export type KindName = DesiredObject['kind'];
export type DesiredOf<K extends KindName> = Extract<DesiredObject, { kind: K }>;

/** A kind of object that is in a list of the workspace, and not in a role. */
export type ListedKind = Exclude<KindName, 'RoleMembership'>;

/**
 * An object of a deleted definition: it is to go, unless another definition means it still. The name is that of the definition, which may be
 * there and mean another object by now.
 */
export type Absent = { readonly name: string; readonly isReplaced?: boolean } & (
  | { readonly kind: ListedKind; readonly id: string }
  | { readonly kind: 'RoleMembership'; readonly role: string; readonly member: { kind: MemberKind; id: string } }
);

export type MemberKind = 'Person' | 'DataSource';

/** Everything that one run is to make true of one workspace. */
export interface DesiredState {
  objects: readonly DesiredObject[];
  /** Objects that are to go: their definitions were deleted. */
  absent?: readonly Absent[];
  /** Collections in which what is not declared is removed. */
  exact: readonly ExactCollection[];
  rails: Rails;
  /** Overrides that are declared, whether or not they apply now. */
  overrides?: readonly DeclaredOverride[];
  /** Ids of permissions that an earlier run granted for its own time and could not end. */
  bridges?: ReadonlySet<string>;
}

/** An object that the front end has left as it is for now. */
export function holdBack<O extends DesiredObject>(object: O): O {
  return { ...object, paused: true, waits: true };
}

/** Names an object as messages do: `Person/ada`. */
export function label(object: { kind: string; name: string }): string {
  return `${object.kind}/${object.name}`;
}

/** Only what identifies the object, as steps carry it. */
export function named({ kind, name }: { kind: string; name: string }): { kind: string; name: string } {
  return { kind, name };
}
