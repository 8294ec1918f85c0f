import { brokenRule, type Client, nameRules } from '@rolecall/api';
import fc from 'fast-check';
import { anyCharacter } from '../../../support/any-character.ts';
import { password } from './round-trip.ts';

export interface Described {
  people: { username: string; name: string; locked: boolean }[];
  dataSources: { alias: string | null; name: string; uri: string; hasPassword: boolean }[];
  roles: { name: string; people: number[]; dataSources: number[]; turns: Turns[] }[];
  permissions: { person: number; dataSource: number; startDays: number; days: number; times: number }[];
  snippets: { name: string; texts: string[]; description: string; owner: number; locked: boolean; level: number }[];
}

/** The times of a person in a role, who may be in its list too: then the times come first, or last. */
interface Turns {
  person: number;
  /** From a day until another one, each in days from a fixed one, or open. */
  windows: { from: number | null; days: number | null }[];
  isLast: boolean;
}

const words = [
  'ada',
  'Ada',
  'bob',
  'bob-2',
  'a.b',
  'a b',
  'null',
  'true',
  '0x1f',
  '1e3',
  '2026-01-01',
  '<<',
  '~',
  '- x',
  '# x',
  'é',
  'İ',
  'ß',
  '李',
  '\u{1f600}',
  'a: b',
  "'q'",
  '"q"',
  '{a}',
  '[a]',
  '*a',
  '&a',
  '!a',
  '%a',
  '@a',
  '`a`',
  'analysts',
  'Analysts',
  'con',
  '__proto__',
  'constructor',
  'a'.repeat(255),
];
const odd = [' lead', 'trail ', '\u00a0nbsp'];
const lines = [
  'select 1',
  '  indented',
  '\ttab',
  '',
  ' ',
  '---',
  '...',
  '# no comment',
  'a\r',
  'x\u0007y',
  '\u2028',
  '- a',
  'a: b',
  '%YAML',
  'Größe',
  '\ufeff',
];

const nameOf = (all: readonly string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...all) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }).filter(isName) },
  );
const text = fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 5 }).map((all) => all.join('\n') || 'x');

/** What both the service and definitions take for a name. */
function isName(value: string): boolean {
  return brokenRule(nameRules, value) === undefined && !/\p{Cc}/u.test(value) && value.trim() === value;
}

const windows = fc.uniqueArray(
  fc
    .record({
      from: fc.option(fc.integer({ min: -400, max: 400 })),
      days: fc.option(fc.integer({ min: 1, max: 800 })),
    })
    .filter(({ from, days }) => from !== null || days !== null),
  { minLength: 1, maxLength: 4, selector: ({ from, days }) => `${from} ${days}` },
);

/**
 * Workspaces as people leave them.
 *
 * @param withOutlaws whether there is what definitions cannot say, such as a data source without alias
 */
export function workspaces(withOutlaws: boolean): fc.Arbitrary<Described> {
  const name = nameOf(withOutlaws ? [...words, ...odd] : words);
  const alias = withOutlaws ? fc.option(name, { freq: 4 }) : name;
  const index = fc.nat(5);
  return fc.record({
    people: fc.uniqueArray(fc.record({ username: name, name, locked: fc.boolean() }), {
      maxLength: 6,
      selector: ({ username }) => username.normalize('NFC').toLowerCase(),
    }),
    dataSources: fc.uniqueArray(
      fc.record({
        alias,
        name,
        uri: fc.constantFrom(
          'postgresql://u@h:5432/d?sslmode=require',
          'postgresql://h',
          'mysql://u%20x@h/d%C3%A9',
          'mariadb://u@[::1]:3307/d?charset=utf8',
          'sqlite:///a%20b/c.db?mode=ro',
        ),
        hasPassword: fc.boolean(),
      }),
      { maxLength: 4, selector: ({ alias: own }) => (withOutlaws ? own : own?.normalize('NFC')) ?? Symbol('none') },
    ),
    roles: fc.uniqueArray(
      fc.record({
        name,
        people: fc.uniqueArray(index),
        dataSources: fc.uniqueArray(index),
        turns: fc.array(fc.record({ person: index, windows, isLast: fc.boolean() }), { maxLength: 3 }),
      }),
      { maxLength: 4, selector: (role) => (withOutlaws ? role.name : role.name.normalize('NFC')) },
    ),
    permissions: fc.array(
      fc.record({
        person: index,
        dataSource: index,
        startDays: fc.integer({ min: -400, max: 400 }),
        days: fc.integer({ min: 1, max: 800 }),
        times: fc.constantFrom(1, 1, 1, 2),
      }),
      { maxLength: 5 },
    ),
    snippets: fc.uniqueArray(
      fc.record({
        name,
        texts: fc.array(text, { minLength: 1, maxLength: 2 }),
        description: fc.oneof(fc.constant(''), text),
        owner: fc.nat(9),
        locked: fc.boolean(),
        level: fc.nat(3),
      }),
      { maxLength: 5, selector: (snippet) => (withOutlaws ? Symbol('any') : snippet.name.normalize('NFC')) },
    ),
  });
}

/** Makes the workspace by calls, like someone who knows nothing of definitions. */
export async function makeWorkspace(described: Described, client: Client): Promise<void> {
  const people = await Promise.all(
    described.people.map(async ({ username, name, locked }, index) => {
      const person = await client.call('createPerson', {
        body: { username, name, email: `${index}.somebody@example.com` },
      });
      if (locked) await client.call('lockPerson', { params: { person: person.id } });
      return person;
    }),
  );
  const dataSources = await Promise.all(
    described.dataSources.map(({ alias, name, uri, hasPassword }) =>
      client.call('createDataSource', { body: { alias, name, configUri: hasPassword ? withPassword(uri) : uri } }),
    ),
  );
  const roles = await Promise.all(
    described.roles.map(async (role) => {
      const { id } = await client.call('createRole', { body: { name: role.name } });
      const setTurns = async (isWanted: (turns: Turns) => boolean): Promise<void> => {
        for (const { person: index, windows: all } of role.turns.filter(isWanted)) {
          const [person] = pick(people, [index]);
          if (person === undefined) continue;
          const body = { windows: all.map(windowOf) };
          await client.call('setRolePersonWindows', { params: { role: id, person: person.id }, body });
        }
      };
      await setTurns(({ isLast }) => !isLast);
      for (const { id: person } of pick(people, role.people)) {
        await client.call('addRolePerson', { params: { role: id, person } });
      }
      await setTurns(({ isLast }) => isLast);
      for (const { id: dataSource } of pick(dataSources, role.dataSources)) {
        await client.call('addRoleDataSource', { params: { role: id, dataSource } });
      }
      return id;
    }),
  );
  for (const { person, dataSource, startDays, days, times } of described.permissions) {
    const [who, what] = [people[person], dataSources[dataSource]];
    if (who === undefined || what === undefined) continue;
    const startsAt = new Date(Date.UTC(2026, 10, 21) + startDays * 86_400_000).toISOString();
    for (let time = 0; time < times; time += 1) {
      const params = { person: who.id, dataSource: what.id };
      await client.call('createPermission', { params, body: { startsAt, duration: days * 86_400 } });
    }
  }
  for (const snippet of described.snippets)
    await makeSnippet(snippet, people[snippet.owner]?.id, roles[snippet.owner - 6], client);
}

function windowOf({ from, days }: Turns['windows'][number]) {
  const at = (day: number): string => new Date(Date.UTC(2026, 10, 21) + day * 86_400_000).toISOString();
  return {
    ...(from === null ? {} : { startsAt: at(from) }),
    ...(days === null ? {} : { expiresAt: at((from ?? -400) + days) }),
  };
}

async function makeSnippet(
  { name, texts, description, locked, level }: Described['snippets'][number],
  ownerPersonId: string | undefined,
  ownerRoleId: string | undefined,
  client: Client,
): Promise<void> {
  const owner =
    ownerRoleId !== undefined
      ? { owner: 'role' as const, ownerRoleId }
      : ownerPersonId !== undefined
        ? { owner: 'person' as const, ownerPersonId }
        : { owner: 'none' as const };
  const [text = 'x', newer] = texts;
  const publicAccessLevel = (['none', 'read_only', 'read_write', 'manage'] as const)[level] ?? 'none';
  const { id } = await client.call('createSnippet', {
    body: { name, description, text, isLocked: locked, publicAccessLevel, ...owner },
  });
  if (newer === undefined) return;
  const version = await client.call('createSnippetVersion', {
    params: { snippet: id },
    body: { name, description, text: newer },
  });
  await client.call('activateSnippetVersion', { params: { snippet: id, snippetVersion: version.id } });
}

function withPassword(uri: string): string {
  const secret = encodeURIComponent(password);
  if (uri.startsWith('sqlite')) return uri;
  return uri.includes('@') ? uri.replace('@', `:${secret}@`) : uri.replace('//', `//:${secret}@`);
}

function pick<T>(all: readonly T[], indexes: readonly number[]): T[] {
  return indexes.flatMap((index) => all[index] ?? []);
}
