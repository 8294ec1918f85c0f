import { createHmac } from 'node:crypto';
import { isForeign, spelled } from '@rolecall/crds';
import type { Claimed } from '../model/claims.ts';
import type {
  DesiredObject,
  DesiredOf,
  DesiredPermission,
  DesiredRole,
  DesiredRoleMembership,
  DesiredState,
  KindName,
  ListedKind,
  SecretSource,
} from '../model/desired.ts';
import { label } from '../model/desired.ts';
import { dataSourceKey, personKey, roleKey } from '../model/keys.ts';
import { type Reference, type Refusal, referenceName } from '../model/step.ts';
import type { Collection, Reader } from '../view/view.ts';
import { foldKey, Naming, type Referable } from './naming.ts';

/** Functions that a run asks the front end for, and the moment at which it plans. */
export interface Surroundings {
  now: Date;
  /** Gives the secret that a source names; rejects with an error that names the source and the remedy. */
  resolveSecret: (source: SecretSource) => Promise<string>;
  /** The key of this plan's fingerprints. It is random and not in the plan, so that passwords cannot be tried on them. */
  salt: string;
}

/** An object that another one refers to: on the server, about to be made by this plan, or nowhere. */
export type Located = { id: string | Reference } | { missing: Refusal; isDeclared: boolean };

/** All that the kinds observe through: the view, the other desires, and the surroundings. */
export interface Scope extends Surroundings {
  readonly view: Reader;
  /** The desired objects of one kind. */
  desired: <K extends KindName>(kind: K) => readonly DesiredOf<K>[];
  /** Finds what `from` refers to, by natural key. */
  locate: (from: DesiredObject, kind: Referable, name: string) => Promise<Located>;
  /** The same for all members of a list: a promise for each of hundreds of thousands would be most of a plan's memory. */
  locateAll: (
    from: DesiredObject,
    kind: Referable,
    names: readonly string[],
  ) => Promise<{ name: string; located: Located }[]>;
  /** The id of the object that a reference means, from what was read so far. */
  peekId: (kind: Referable, name: string) => string | undefined;
  /** The RoleMembership objects of one role, by its name: what they add must not be removed. */
  additions: (role: string) => readonly DesiredRoleMembership[];
  /** The definition that remembers an object on the server as its own. */
  rememberedBy: (kind: KindName, id: string) => DesiredObject | undefined;
  /** The Role objects of one name. */
  listing: (role: string) => readonly DesiredRole[];
  readonly exact: DesiredState['exact'];
  /** A refusal for each RoleMembership whose role does not exist: it is not known which role it means. */
  lostRoles: () => Promise<readonly Refusal[]>;
  /** True if a desired permission of the same person and data source, and with the same end, declares this start. */
  isWindowDeclared: (desired: DesiredPermission, startsAt: string) => boolean;
  /** The desired permissions of a person that end at a moment. */
  endingAt: (person: string, expiresAt: string) => readonly DesiredPermission[];
  /** The definition that means an object which was read, by its id and natural key. */
  ownerOf: (kind: Referable, id: string, key: string | undefined) => DesiredObject | undefined;
  /** True if a deleted definition has an object: it goes unless another one means it. */
  isAbsent: (kind: ListedKind, id: string) => boolean;
  /** True if an object goes once no definition means it: its collection is exact, or its own definition was deleted. */
  isRemovable: (kind: Referable, id: string) => boolean;
  /** True if a person or role that owns snippets goes. Known once those kinds were observed. */
  isLeaving: (kind: 'Person' | 'Role', id: string) => boolean;
  /** A salted fingerprint that stands for a secret wherever it would be shown. */
  fingerprint: (secret: string) => string;
}

const collectionNames = { Person: 'people', Role: 'roles', DataSource: 'dataSources' } as const;

const words = { Person: 'person', Role: 'role', DataSource: 'data source' } as const;

/** Puts the desires of one run and the view of its workspace together. */
export function createScope(
  { objects, exact, absent = [] }: DesiredState,
  view: Reader,
  claimed: Claimed,
  surroundings: Surroundings,
): Scope {
  const byKind = Map.groupBy(objects, (object) => object.kind);
  // groupBy keeps each object under its own kind.
  const desired: Scope['desired'] = (kind) => (byKind.get(kind) ?? []) as never;
  const naming = new Naming(objects);
  const { rememberedBy } = naming;
  // Most plans find nothing to do, and ask for none of these.
  const additions = once(() => Map.groupBy(desired('RoleMembership'), ({ role }) => roleKey(role)));
  const roles = once(() => Map.groupBy(desired('Role'), ({ role }) => roleKey(role)));
  const windows = once(() => indexWindows(desired('Permission')));
  const ends = once(() =>
    Map.groupBy(desired('Permission'), ({ person, expiresAt }) => JSON.stringify([personKey(person), expiresAt])),
  );
  const lostRoles = once(async (): Promise<Refusal[]> => {
    const { byKey } = await view.roles();
    return [...additions()].flatMap(([key, [first]]) => {
      const isLost = first !== undefined && !byKey.has(key) && naming.maker('Role', key) === undefined;
      return isLost ? [nowhere(first, 'Role', first.role)] : [];
    });
  });

  const absentIds = once(
    () => new Set(absent.flatMap((object) => ('id' in object ? [`${object.kind} ${object.id}`] : []))),
  );
  const isAbsent: Scope['isAbsent'] = (kind, id) => absentIds().has(`${kind} ${id}`);
  const isRemovable: Scope['isRemovable'] = (kind, id) => exact.includes(collectionNames[kind]) || isAbsent(kind, id);

  const collectionOf = (kind: Referable): Promise<Collection<{ id: string }>> => view[collectionNames[kind]]();

  return {
    ...surroundings,
    view,
    desired,
    exact,
    rememberedBy,
    peekId: (kind, name) => {
      const collection = view.peek(collectionNames[kind]);
      return collection && naming.meant(collection, kind, foldKey[kind](name));
    },
    additions: (role) => additions().get(roleKey(role)) ?? [],
    listing: (role) => roles().get(roleKey(role)) ?? [],
    lostRoles,
    isWindowDeclared: ({ person, dataSource, expiresAt }, startsAt) =>
      windows().has(windowKey(person, dataSource, startsAt, expiresAt)),
    endingAt: (person, expiresAt) => ends().get(JSON.stringify([personKey(person), expiresAt])) ?? [],
    ownerOf: (kind, id, key) =>
      naming.ownerOf({ byId: view.peek(collectionNames[kind])?.byId ?? new Map() }, kind, id, key),
    isAbsent,
    isRemovable,
    isLeaving: (kind, id) => isRemovable(kind, id) && !claimed[collectionNames[kind]].has(id),
    fingerprint: (secret) =>
      `secret ${createHmac('sha256', surroundings.salt).update(secret).digest('hex').slice(0, 8)}`,
    locate: async (from, kind, name) => locateIn(await collectionOf(kind), naming, from, kind, name),
    locateAll: async (from, kind, names) => {
      const collection = await collectionOf(kind);
      return names.map((name) => ({ name, located: locateIn(collection, naming, from, kind, name) }));
    },
  };
}

function locateIn(
  collection: Collection<{ id: string }>,
  naming: Naming,
  from: DesiredObject,
  kind: Referable,
  name: string,
): Located {
  const key = foldKey[kind](name);
  const id = naming.meant(collection, kind, key);
  if (id !== undefined) return { id };
  const maker = naming.maker(kind, key);
  if (maker === undefined) return { missing: nowhere(from, kind, name), isDeclared: false };
  const held = heldBack(maker);
  // An object that is itself only observed may well refer to another one that is: nothing will be written.
  if (held === undefined || heldBack(from) !== undefined) return { id: { ref: referenceName(kind, key) } };
  return {
    missing: {
      ...nowhere(from, kind, name),
      message: `${label(from)} needs ${label(maker)}, which is ${held} and not on the server`,
      remedy:
        maker.waits === true
          ? `see what ${label(maker)} waits for`
          : `let ${label(maker)} be created, or hold ${label(from)} back as well`,
    },
    isDeclared: true,
  };
}

/** Makes something when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function heldBack(object: DesiredObject): string | undefined {
  if (object.waits === true) return 'held back itself';
  if (object.paused) return 'paused';
  return object.observeOnly ? 'only observed' : undefined;
}

function nowhere(from: DesiredObject, kind: Referable, name: string): Refusal {
  return {
    rail: 'missing-reference',
    objects: [label(from)],
    message: `${label(from)} refers to the ${words[kind]} ${isForeign(name) ? spelled(name) : name}, which is neither declared nor on the server`,
    remedy: `declare the ${words[kind]}, or correct the reference`,
  };
}

function indexWindows(permissions: readonly DesiredPermission[]): Set<string> {
  const windows = new Set<string>();
  for (const { person, dataSource, startsAt, expiresAt } of permissions) {
    if (startsAt !== undefined) windows.add(windowKey(person, dataSource, startsAt, expiresAt));
  }
  return windows;
}

function windowKey(person: string, dataSource: string, startsAt: string, expiresAt: string): string {
  return JSON.stringify([personKey(person), dataSourceKey(dataSource), startsAt, expiresAt]);
}
