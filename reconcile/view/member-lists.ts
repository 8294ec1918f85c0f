import { type OperationId, ProblemError, type RequestOf, type RoleAssignment } from '@rolecall/api';
import type { Collection, People } from './collection.ts';

/** A list of the members of a role. */
export type MemberList = 'rolePeople' | 'roleDataSources';

/** The source from which the lists are read. */
export interface MemberSource {
  /** True if the list can be called for with an ETag. */
  readonly isKnown: (name: string) => boolean;
  readonly list: <Id extends OperationId>(name: string, operation: Id, request: RequestOf<Id>) => Promise<unknown>;
  readonly call: <Id extends OperationId>(operation: Id, request: RequestOf<Id>) => Promise<unknown>;
  /** Returns the cached reading; never calls the service. */
  readonly peek: (name: string) => unknown;
  readonly keep: (name: string, answer: unknown) => void;
}

interface Asked {
  readonly role: string;
  readonly resolve: (list: Promise<unknown>) => void;
}

/**
 * Reads the members of roles by the cheaper side: a call for each role that is asked for, or one for each person or data source,
 * whichever are fewer. Gathers what is asked for in one turn of the event loop.
 *
 * @returns reads the list of one role
 */
export function gatherMembers(kind: MemberList, source: MemberSource): (role: string) => Promise<unknown> {
  let waiting: Asked[] = [];
  const byRole = (role: string): Promise<unknown> =>
    kind === 'rolePeople'
      ? source.list(`${kind} ${role}`, 'listRolePeople', { params: { role } })
      : source.list(`${kind} ${role}`, 'listRoleDataSources', { params: { role } });
  const flush = (): void => {
    const asked = waiting;
    waiting = [];
    const members = membersOf(kind, source);
    // A list of its own has an ETag, and comes in one call.
    if (members === undefined || asked.length === 1 || members.length >= asked.length) {
      for (const { role, resolve } of asked) resolve(byRole(role));
      return;
    }
    const lists = readByMembers(kind, members, source);
    for (const { role, resolve } of asked) resolve(lists.then((all) => all.get(role) ?? []));
  };
  return (role) => {
    if (source.isKnown(`${kind} ${role}`)) return byRole(role);
    return new Promise((resolve) => {
      waiting.push({ role, resolve });
      if (waiting.length === 1) setImmediate(flush);
    });
  };
}

interface Member {
  readonly id: string;
  /** As the list of a role shows it. */
  readonly shown: object;
}

/** Undefined where they were not read: then it would take a call to know how many they are. */
function membersOf(kind: MemberList, { peek }: MemberSource): Member[] | undefined {
  if (kind === 'rolePeople') {
    const people = peek('people') as People | undefined;
    return people?.all.map(({ id, username, email, name }) => ({ id, shown: { id, username, email, name } }));
  }
  const sources = peek('dataSources') as Collection<{ id: string; name: string; alias: string | null }> | undefined;
  return sources?.all.map(({ id, name, alias }) => ({ id, shown: { id, name, alias } }));
}

/** Returns an empty list for a person who went while this was read: they are in no role. */
function noneOfGone(error: unknown): [] {
  if (error instanceof ProblemError && error.kind === 'not-found') return [];
  throw error;
}

/** @returns the list of each role that has members; the lists of roles that were read and not asked for are kept */
async function readByMembers(
  kind: MemberList,
  members: readonly Member[],
  { call, peek, keep }: MemberSource,
): Promise<ReadonlyMap<string, unknown>> {
  const lists = new Map<string, object[]>();
  const roles = peek('roles') as Collection<{ id: string }> | undefined;
  for (const { id } of roles?.all ?? []) lists.set(id, []);
  const joined = await Promise.all(
    members.map(async ({ id, shown }) => {
      const assigned =
        kind === 'rolePeople'
          ? call('listPersonRoles', { params: { person: id } })
          : call('listDataSourceRoles', { params: { dataSource: id } });
      return { shown, roles: (await assigned.catch(noneOfGone)) as readonly RoleAssignment[] };
    }),
  );
  for (const { shown, roles: assigned } of joined) {
    for (const { id, assignedAt, windows } of assigned) {
      const list = lists.get(id);
      const member = { ...shown, assignedAt, ...(windows && { windows }) };
      if (list === undefined) lists.set(id, [member]);
      else list.push(member);
    }
  }
  for (const [role, list] of lists) keep(`${kind} ${role}`, list);
  return lists;
}
