import { type PersonOperationId, personOperationIds, personRouteTable } from '@rolecall/api';
import { personOpenApiDocument } from '@rolecall/api/openapi';
import type { Random } from '../../support/random.ts';
import { anything, mutate, scramble } from './values.ts';

/** A request to the person's API, well formed as HTTP. */
export interface PersonRequest {
  readonly operation: PersonOperationId;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Whether it names the session as the service's own page does, so that `signed_out` would mean that it is over. */
  readonly isSignedIn: boolean;
}

/** Identifiers by the name of the parameter that takes them. */
export type Known = Map<string, string[]>;

export interface PersonSurroundings {
  /** What the page of the service sends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly own: Known;
  readonly others: Known;
}

const jsonType = 'application/json';
const document = personOpenApiDocument();

/** Each of these hashes a password, makes a connection or ends the session: now and then is enough. */
const costly = new Set<PersonOperationId>([
  'signInWithPassword',
  'provePassword',
  'addFactors',
  'startEnrolment',
  'executeInEditor',
  'makeRecoveryCodes',
  'openEvents',
  'listSchemaTables',
  'listSchemaColumns',
  'signOut',
]);

/** An operation with parameters, query, headers and a body that are right, nearly right, or nonsense. */
export function makePersonRequest(random: Random, around: PersonSurroundings): PersonRequest {
  let operation = random.pick(personOperationIds);
  while (costly.has(operation) && random.chance(0.95)) operation = random.pick(personOperationIds);
  const route = personRouteTable[operation];
  const method = random.chance(0.03) ? random.pick(['PATCH', 'OPTIONS', 'HEAD', 'PUT', 'TRACE']) : route.method;
  const isSignedIn = random.chance(0.9);
  const headers = isSignedIn ? { ...around.headers } : strangerHeaders(random, around.headers);
  if (random.chance(0.04)) headers['accept'] = random.pick(['*/*', 'text/html', ',,,', 'x'.repeat(2000)]);
  if (random.chance(0.03)) headers['last-event-id'] = random.pick(['0', '-1', '9'.repeat(30), 'x']);
  const body = makeBody(operation, random, around, headers);
  return { operation, method, path: makePath(operation, random, around), headers, body, isSignedIn };
}

function strangerHeaders(random: Random, own: Readonly<Record<string, string>>): Record<string, string> {
  const { cookie = '', 'rolecall-csrf': csrf = '', ...others } = own;
  const token = cookie.replace(/^[^=]*=/, '');
  return random.pick<Record<string, string>>([
    {},
    { ...others, cookie },
    { ...own, 'rolecall-csrf': csrf.slice(1) },
    { ...own, origin: 'https://evil.example' },
    { ...own, 'sec-fetch-site': random.pick(['cross-site', 'same-site', 'none', '']) },
    { ...own, cookie: `${cookie}; ${cookie}x` },
    { ...own, cookie: random.pick(['rolecall=', 'rolecall=x', '=;=;', `a=${'x'.repeat(5000)}`, cookie.slice(0, -1)]) },
    { ...others, authorization: `Bearer ${token}` },
    { ...own, authorization: random.pick(['Basic ????', 'Bearer', 'Bearer x', `Bearer ${'x'.repeat(200)}`]) },
  ]);
}

function makePath(operation: PersonOperationId, random: Random, { own, others }: PersonSurroundings): string {
  const path = personRouteTable[operation].path.replace(/:(\w+)/g, (_match, name: string) => {
    const isOwn = random.chance(0.55);
    const all = (isOwn ? own : others).get(name) ?? [];
    // What a person has from the beginning stays, so that the other one has something to reach for.
    const ids = isOwn && personRouteTable[operation].method === 'DELETE' ? all.slice(1) : all;
    if (ids.length > 0 && random.chance(0.85)) return encode(random.pick(ids));
    if (name === 'resultIndex') return String(random.pick([0, 1, -1, 1e21, 'x']));
    return encode(random.pick(['abcdefghijkl', '0', '%', '..', '\u0000', String(anything(random, 5))]));
  });
  const search = new URLSearchParams();
  for (const { name, in: where, example, required } of parametersOf(operation)) {
    if (where !== 'query' || !random.chance(required ? 0.9 : 0.3)) continue;
    search.append(
      name,
      random.chance(0.7) ? String(example) : String(anything(random, 5)).slice(0, 500).toWellFormed(),
    );
  }
  if (random.chance(0.05)) search.append(random.pick(['x', '', 'limit', 'search', '__proto__']), '%00\u0000%');
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/** Half of a surrogate pair has no encoding. */
function encode(text: string): string {
  return encodeURIComponent(text.slice(0, 1000).toWellFormed()).replaceAll('%25', '%');
}

function makeBody(
  operation: PersonOperationId,
  random: Random,
  around: PersonSurroundings,
  headers: Record<string, string>,
): Buffer | undefined {
  const example = describe(operation)?.requestBody?.content[jsonType]?.example as Record<string, unknown> | undefined;
  if (example === undefined) {
    if (!random.chance(0.05)) return undefined;
    headers['content-type'] = jsonType;
    return Buffer.from(JSON.stringify(anything(random)));
  }
  headers['content-type'] = random.chance(0.96)
    ? jsonType
    : random.pick(['text/plain', 'x', `${jsonType}; charset=utf-16`]);
  const valid = fresh(example, random, around);
  const text = JSON.stringify(random.chance(0.5) ? valid : mutate(valid, random));
  if (random.chance(0.02)) return Buffer.from('['.repeat(1 + random.below(20_000)));
  return random.chance(0.05) ? scramble(text, random) : Buffer.from(text);
}

/** The example, with names that are not taken yet and references to what there is, of whichever person. */
function fresh(
  example: Record<string, unknown>,
  random: Random,
  { own, others }: PersonSurroundings,
): Record<string, unknown> {
  const idOf = (name: string) => random.pick((random.chance(0.6) ? own : others).get(name) ?? ['abcdefghijkl']);
  const changes: Record<string, unknown> = {
    name: `n${random.below(2 ** 31).toString(36)}`,
    commands: random.pick([['select 1'], ['select 1', 'nonsense'], ['begin'], []]),
    tab: idOf('tab'),
    version: random.below(3),
    // What is public may be read by the other one.
    publicAccessLevel: 'none',
    username: random.pick(['ada', 'ben', 'x']),
    ownerRoleId: idOf('role'),
    activeVersionId: idOf('snippetVersion'),
  };
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, changes[name] ?? value]));
}

function describe(operation: PersonOperationId) {
  const { path, method } = personRouteTable[operation];
  return document.paths[path.replace(/:([A-Za-z]+)/g, '{$1}')]?.[method.toLowerCase()];
}

function parametersOf(operation: PersonOperationId) {
  return describe(operation)?.parameters ?? [];
}
