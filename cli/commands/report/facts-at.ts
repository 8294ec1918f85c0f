import { type AnswerOf, type Client, isNotOffered, type MembershipWindow } from '@rolecall/api';
import type { AccessDataSource, AccessFacts, AccessMember, AccessPermission, AccessPerson } from '@rolecall/reconcile';

type Entry = AnswerOf<'listAuditEntries'>[number];
type Fields = NonNullable<Entry['changes'][number]['before']>;

/** Entries that a call asks for. */
const pageSize = 1000;

/**
 * The facts as they were at a past moment: what the audit trail has recorded since is taken back, the newest entry first.
 *
 * @param facts what is there now, read before this call: to take back what they do not have yet changes nothing
 * @returns undefined where this key may not read the trail, or the service has none
 * @throws the client's errors
 */
export async function factsAt(client: Client, facts: AccessFacts, at: Date): Promise<AccessFacts | undefined> {
  const past = new PastFacts(facts);
  try {
    for await (const entry of entriesSince(client, at)) past.takeBack(entry);
  } catch (error) {
    if (isNotOffered(error)) return undefined;
    throw error;
  }
  return past.facts();
}

/** The entries after a moment, the newest first. */
async function* entriesSince(client: Client, at: Date): AsyncGenerator<Entry> {
  for (let cursor = Number.MAX_SAFE_INTEGER; cursor > 1; ) {
    // 15 digits stay exact.
    const query = { before: String(Math.min(cursor, 999_999_999_999_999)), limit: String(pageSize) };
    const entries = await client.call('listAuditEntries', { query });
    for (const entry of entries.toReversed()) {
      if (Date.parse(entry.at) <= at.getTime()) return;
      yield entry;
    }
    const [first] = entries;
    if (first === undefined) return;
    cursor = first.seq;
  }
}

interface PastRole {
  name: string;
  readonly people: Map<string, AccessMember>;
  readonly dataSources: Map<string, AccessMember>;
}

/** Way to take objects of a kind back: `fields` are the old ones, all of them if the object was deleted. */
interface Kind {
  readonly restore: (id: string, fields: Fields) => void;
  readonly remove: (id: string) => void;
}

class PastFacts {
  readonly #people: Map<string, AccessPerson>;
  readonly #dataSources: Map<string, AccessDataSource>;
  readonly #roles: Map<string, PastRole>;
  readonly #permissions: Map<string, AccessPermission>;

  constructor({ people, dataSources, roles, permissions }: AccessFacts) {
    const byKey = <T extends { readonly key: string }>(all: readonly T[]) => new Map(all.map((row) => [row.key, row]));
    this.#people = byKey(people);
    this.#dataSources = byKey(dataSources);
    this.#permissions = byKey(permissions);
    this.#roles = new Map(
      roles.map(({ key, name, people: members, dataSources: reached }) => [
        key,
        { name, people: byKey(members), dataSources: byKey(reached) },
      ]),
    );
  }

  takeBack({ changes }: Entry): void {
    for (const { kind, id, action, before: old = {} } of changes.toReversed()) {
      const restorer = this.#kinds[kind];
      if (action === 'created') restorer?.remove(id);
      else if (action === 'changed' || action === 'deleted') restorer?.restore(id, old);
    }
  }

  facts(): AccessFacts {
    return {
      people: [...this.#people.values()],
      dataSources: [...this.#dataSources.values()],
      roles: [...this.#roles].map(([key, { name, people, dataSources }]) => ({
        key,
        name,
        people: [...people.values()],
        dataSources: [...dataSources.values()],
      })),
      permissions: [...this.#permissions.values()],
    };
  }

  readonly #kinds: Readonly<Record<string, Kind>> = {
    person: {
      restore: (key, fields) => {
        const { username = '', name = '', isLocked = false } = this.#people.get(key) ?? {};
        this.#people.set(key, {
          key,
          username: text(fields['username'], username),
          name: text(fields['name'], name),
          isLocked: typeof fields['isLocked'] === 'boolean' ? fields['isLocked'] : isLocked,
        });
      },
      remove: (key) => this.#people.delete(key),
    },
    data_source: {
      restore: (key, fields) => {
        const { alias = null, name = '' } = this.#dataSources.get(key) ?? {};
        const oldAlias = 'alias' in fields ? fields['alias'] : alias;
        this.#dataSources.set(key, {
          key,
          alias: typeof oldAlias === 'string' ? oldAlias : null,
          name: text(fields['name'], name),
        });
      },
      remove: (key) => this.#dataSources.delete(key),
    },
    role: {
      restore: (key, fields) => {
        const role = this.#roleOf(key);
        role.name = text(fields['name'], role.name);
      },
      remove: (key) => this.#roles.delete(key),
    },
    role_person: this.#members('people'),
    role_data_source: this.#members('dataSources'),
    permission: {
      restore: (key, fields) => {
        const { person = '', dataSource = '', startsAt = '', expiresAt = '' } = this.#permissions.get(key) ?? {};
        this.#permissions.set(key, {
          key,
          person: text(fields['person'], person),
          dataSource: text(fields['dataSource'], dataSource),
          startsAt: text(fields['startsAt'], startsAt),
          expiresAt: text(fields['expiresAt'], expiresAt),
        });
      },
      remove: (key) => this.#permissions.delete(key),
    },
  };

  /** A role may be put back after its members, which went along with it. */
  #roleOf(key: string): PastRole {
    const present = this.#roles.get(key);
    if (present !== undefined) return present;
    const role: PastRole = { name: '', people: new Map(), dataSources: new Map() };
    this.#roles.set(key, role);
    return role;
  }

  /** @param id those of role and member with a slash between */
  #memberOf(id: string, list: 'people' | 'dataSources'): [Map<string, AccessMember>, AccessMember] {
    const [role = '', key = ''] = id.split('/');
    const members = this.#roleOf(role)[list];
    return [members, members.get(key) ?? { key }];
  }

  /** Memberships in roles: `fields` has since when, and a person's times if there are any; where one is there, only what changed. */
  #members(list: 'people' | 'dataSources'): Kind {
    return {
      restore: (id, fields) => {
        const [members, { key, windows, assignedAt }] = this.#memberOf(id, list);
        const since = text(fields['assignedAt'], assignedAt ?? '');
        const times = 'windows' in fields ? timesOf(fields['windows']) : windows;
        members.set(key, {
          key,
          ...(since === '' ? {} : { assignedAt: since }),
          ...(times === undefined || times.length === 0 ? {} : { windows: times }),
        });
      },
      remove: (id) => {
        const [members, { key }] = this.#memberOf(id, list);
        members.delete(key);
      },
    };
  }
}

const text = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);

/** The times of a membership as an entry has them. */
function timesOf(value: unknown): MembershipWindow[] {
  if (!Array.isArray(value)) return [];
  return value.map(({ startsAt, expiresAt }: Record<string, unknown>) => ({
    ...(typeof startsAt === 'string' ? { startsAt } : {}),
    ...(typeof expiresAt === 'string' ? { expiresAt } : {}),
  }));
}
