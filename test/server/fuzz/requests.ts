import { type OperationId, operationIds, routeTable } from '@rolecall/api';
import { openApiDocument } from '@rolecall/api/openapi';
import type { Random } from '../../support/random.ts';
import { anything, mutate, scramble } from './values.ts';

/** A request whose HTTP is well formed, whatever else is wrong with it. */
export interface FuzzedRequest {
  readonly operation: OperationId;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** What requests are made with: keys, and what exists by now. */
export interface Surroundings {
  readonly authorizations: readonly string[];
  /** Identifiers by the name of the parameter that takes them. */
  readonly known: Map<string, string[]>;
  /** Connections that lead nowhere but to this machine. */
  readonly uris: readonly string[];
}

const formType = 'application/x-www-form-urlencoded';
const jsonType = 'application/json';
const examples = readExamples();

/** Each of these makes a process or a connection: now and then is enough. */
const costly = new Set<OperationId>(['executeCommands', 'testDataSource']);

export function makeRequest(random: Random, around: Surroundings): FuzzedRequest {
  let operation = random.pick(operationIds);
  if (costly.has(operation) && random.chance(0.9)) operation = random.pick(operationIds);
  const route = routeTable[operation];
  const methods = route.alsoMethod === undefined ? [route.method] : [route.method, route.alsoMethod];
  const method = random.chance(0.02) ? random.pick(['PATCH', 'OPTIONS', 'HEAD', 'PUT', 'TRACE']) : random.pick(methods);
  const headers: Record<string, string> = { ...makeHeaders(random, around) };
  const body = makeBody(operation, random, around, headers);
  return { operation, method, path: makePath(route.path, random, around), headers, body };
}

function makePath(pattern: string, random: Random, { known }: Surroundings): string {
  const path = pattern.replace(/:(\w+)/g, (_match, name: string) => {
    const ids = known.get(name) ?? [];
    if (ids.length > 0 && random.chance(0.75)) return random.pick(ids);
    if (name === 'resultIndex') return String(random.pick([0, 1, -1, 1e21, 'x']));
    return encode(random.pick(['abcdefghijkl', '0', '%', '..', '\u0000', String(anything(random, 5))]));
  });
  if (random.chance(0.05)) return `${path}/${encode(String(anything(random, 5)))}`;
  if (!random.chance(0.15)) return path;
  const value = encode(String(anything(random, 5)));
  return `${path}?${random.pick(['seek', 'limit', 'x', '', 'seek=0&seek'])}=${random.pick(['0', '-1', '1e9', value])}`;
}

/** Half of a surrogate pair has no encoding. */
function encode(text: string): string {
  return encodeURIComponent(text.slice(0, 1000).toWellFormed()).replaceAll('%25', '%');
}

function makeHeaders(random: Random, { authorizations }: Surroundings): Record<string, string> {
  const headers: Record<string, string> = {};
  const [admin] = authorizations;
  const authorization = random.chance(0.9)
    ? admin
    : random.pick([...authorizations, '', 'Basic', 'Basic ????', 'Bearer x']);
  if (authorization !== undefined && authorization !== '') headers['authorization'] = authorization;
  if (random.chance(0.07))
    headers['accept'] = random.pick(['*/*', 'text/html', 'application/*;q=0', ',,,', 'x'.repeat(2000)]);
  if (random.chance(0.1)) headers['if-match'] = random.pick(['*', '"x"', 'W/"x"', '"', '"a", "b"', 'x'.repeat(2000)]);
  if (random.chance(0.1)) headers['idempotency-key'] = random.pick(['a', '"b"', '', 'c'.repeat(300), '\u00e9']);
  if (random.chance(0.05)) headers[`x-${random.below(1000)}`] = 'y'.repeat(random.below(9000));
  if (random.chance(0.02)) headers['content-encoding'] = random.pick(['gzip', 'identity', 'br']);
  if (random.chance(0.02)) headers['expect'] = random.pick(['100-continue', 'miracles']);
  return headers;
}

function makeBody(
  operation: OperationId,
  random: Random,
  around: Surroundings,
  headers: Record<string, string>,
): Buffer | undefined {
  const example = examples.get(operation);
  if (example === undefined) {
    if (!random.chance(0.05)) return undefined;
    headers['content-type'] = jsonType;
    return Buffer.from(JSON.stringify(anything(random)));
  }
  const valid = fresh(example, random, around);
  const asForm = routeTable[operation].body?.encoding === 'form' && random.chance(0.5);
  const types = random.chance(0.95)
    ? [asForm ? formType : jsonType]
    : ['text/plain', '', 'x', `${jsonType}; charset=utf-16`];
  const type = random.pick(types);
  if (type !== '') headers['content-type'] = type;
  const body = random.chance(0.4) ? valid : mutate(valid, random);
  const text = asForm ? writeForm(body) : JSON.stringify(body);
  if (random.chance(0.03)) return Buffer.from('['.repeat(1 + random.below(20_000)));
  return random.chance(0.1) ? scramble(text, random) : Buffer.from(text);
}

function writeForm(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body);
  return Object.entries(body)
    .map(
      ([name, value]) => `${encode(name)}=${encode(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
    )
    .join('&');
}

/** The example, with names that are not taken yet and references to what exists. */
function fresh(
  example: Record<string, unknown>,
  random: Random,
  { known, uris }: Surroundings,
): Record<string, unknown> {
  const unique = random.below(2 ** 31).toString(36);
  const changes: Record<string, unknown> = {
    username: `u${unique}`,
    email: `${unique}@example.com`,
    alias: `a${unique}`,
    name: `n${unique}`,
    configUri: random.pick(uris),
    commands: random.pick([['select 1'], ['select 1', 'nonsense'], ['select x from y'], ['begin'], []]),
    ownerPersonId: random.pick(known.get('person') ?? ['abcdefghijkl']),
    ownerRoleId: random.pick(known.get('role') ?? ['abcdefghijkl']),
  };
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, changes[name] ?? value]));
}

function readExamples(): Map<OperationId, Record<string, unknown>> {
  const found = new Map<OperationId, Record<string, unknown>>();
  // The document is built for readers, as JSON; its type says no more.
  const { paths } = JSON.parse(JSON.stringify(openApiDocument())) as {
    paths: Record<string, Record<string, Described>>;
  };
  for (const { operationId, requestBody } of Object.values(paths).flatMap((path) => Object.values(path))) {
    const example = requestBody?.content?.[jsonType]?.example;
    if (operationId !== undefined && example !== undefined) found.set(operationId, example);
  }
  return found;
}

interface Described {
  operationId?: OperationId;
  requestBody?: { content?: Record<string, { example?: Record<string, unknown> }> };
}
