import type { KindName } from '@rolecall/crds';

type Spec = Readonly<Record<string, unknown>>;

const common = { workspaceRef: 'production', deletionPolicy: 'Orphan', managementPolicy: 'Observe' };
const notes = { reason: 'INC-4711', owner: 'platform' };
const window = { startsAt: '2026-12-01T09:00:00Z', expiresAt: '2026-12-01T17:00:00Z' };

/** Specs that are valid, and that together have every field of their kind. */
export const wholeSpecs: Readonly<Record<KindName, readonly Spec[]>> = {
  Workspace: [
    {
      set: 'platform-access',
      url: 'https://workspace.example.com',
      credentialsFrom: { secretKeyRef: { name: 'key', keyId: 'id', keySecret: 'secret' } },
      caFile: 'ca.pem',
      exact: ['roles', 'permissions'],
      rails: { maxRemovalPercent: 20, minimumRemoval: 5, allowFirstRemoval: true },
      overrides: ['removal-share:access/billing until 2026-12-01 because it moves'],
    },
    { credentialsFrom: { env: { keyId: 'ID', keySecret: 'SECRET' } } },
    { credentialsFrom: { file: 'key.json' } },
  ],
  DataSource: [
    {
      alias: 'billing',
      name: 'Billing',
      uri: 'postgresql://reporting@db.internal:5432/billing',
      passwordFrom: { secretKeyRef: { name: 'billing-db', key: 'password' } },
      ...common,
    },
    { uri: 'mysql://r@db/billing', passwordFrom: { env: 'PASSWORD' } },
    { uri: 'mariadb://r@db/billing', passwordFrom: { file: 'password' } },
  ],
  Person: [
    { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', locked: true, ignore: ['name'], ...common },
  ],
  Role: [
    {
      name: 'analysts',
      people: ['ada', 'grace'],
      dataSources: ['billing'],
      dataSourceSelector: { matchLabels: { tier: 'gold' } },
      roles: ['readers'],
      ...notes,
      ...common,
    },
  ],
  RoleMembership: [
    { role: 'analysts', person: 'ada', ...window, ...notes, ...common },
    { role: 'analysts', dataSource: 'billing' },
    { role: 'analysts', person: 'ada', duration: '8h' },
  ],
  Permission: [
    { person: 'ada', dataSource: 'billing', ...window, reason: 'INC-4711', ...common },
    { person: 'ada', dataSource: 'billing', duration: '8h' },
    { person: 'ada', dataSource: 'billing', expiresAt: '2026-12-01T17:00:00Z' },
  ],
  Snippet: [
    {
      name: 'Top',
      description: 'Revenue',
      text: 'select 1',
      owner: { role: 'analysts' },
      publicAccessLevel: 'read_only',
      locked: true,
      ...common,
    },
    { textFrom: { file: 'top.sql' }, owner: { person: 'ada' } },
    { textFrom: { configMapKeyRef: { name: 'queries', key: 'top.sql' } } },
  ],
};

const long = (length: number): string => 'a'.repeat(length);

/** Texts at the edges of some field's bounds, or beyond them. */
const texts: readonly string[] = [
  ...['', ' ', 'a ', ' a', '\u00a0a', 'a\u3000', 'a\tb', 'a\nb', 'a\u0000b', 'a\u0085b', 'a b', 'Zoë', '😀'],
  ...['a\u2028b', '\u2800', 'a\u2800b', 'a\u200bb', '\ufdd0a', 'a\uffffb', 'a\ufff9b', 'a\u{e0041}b', 'a\u202eb'],
  ...['A', 'a_b', '-a', 'a-', 'a..b', 'a.b', 'é', '$A', '1A', 'a=b'],
  ...[long(63), long(64), long(253), long(254), long(255), long(256), '😀'.repeat(255), '😀'.repeat(256)],
  ...[long(500), long(501), long(1000), long(1001), long(4096), long(4097), long(10_001), long(200_001)],
  ...[
    'ä@example.com',
    'a@b@c',
    'a@-b',
    'a@b-.c',
    'ada@münchen.example',
    `${long(65)}@b`,
    `a@${long(64)}`,
    'a@b.',
    'a@b c',
  ],
  ...[
    '8h',
    '0',
    '0s',
    '0h0m',
    '1h30',
    '1m1h',
    '36500d',
    '36501d',
    '3153600000',
    '3153600001',
    '9999999999w',
    '1.5h',
    '1h 1m',
  ],
  ...['2026-02-31T10:00:00Z', '2026-12-01T24:00Z', '2026-12-01T09:00:00.1234Z', '2026-12-01T09:00:00.0000000Z'],
  ...['2026-12-01T09:00:00+15:00', '0000-01-01T00:00:00Z', '2026-12-01', '2026-12-01T09:30Z', '2026-12-01T10:00+01:00'],
  ...[
    'http://',
    'https://a b',
    'https://h:99999',
    'https://h:x',
    'https://[::1',
    'https://[::1]:8443',
    'https://h?x',
    'https://h#',
  ],
  ...[
    'https://u@h',
    'https://h/api/v2',
    'https://h/api/v2/',
    'https://h\\x',
    'https://exa<mple',
    'https://h:8443/p',
    'ftp://h',
  ],
  ...['https://h|i', 'https://h^i', 'https://münchen.example', 'HTTPS://h'],
  ...[
    'mysql://',
    'mysql://h',
    'mysql://u@h:0/d',
    'mysql://u@h:65535/d',
    'mysql://u@h:65536/d',
    'mysql://u@h:x/d',
    'mysql://u@h/a/b',
  ],
  ...[
    'mysql://u@h/a#b',
    'mysql://u@h,i/d',
    'mysql://u@h/d?x=1',
    'mysql://u@h/d?ssl-mode=prefer',
    'mysql://u@h/d?ssl-mode=required',
  ],
  ...[
    'mysql://u@h/d?connect_timeout=0',
    'mysql://u@h/d?charset=utf8&ssl-mode=preferred',
    'mysql://u@h/d?charset=koi8r',
    'mysql://u@h/d?',
  ],
  ...[
    'postgresql://u@h/d?sslmode=require',
    'postgresql://u@h/d?ssl-mode=required',
    'postgresql://u@[::1]:5432/d',
    'postgresql:///d',
  ],
  ...[
    'postgresql://u@/d',
    'postgresql://u@h/d@e',
    'postgresql://u@münchen.example/d',
    'postgresql://u%40v@h/d',
    'postgresql://-h/d',
  ],
  ...[
    'postgresql://h/d?application_name=a%20b',
    'postgresql://h/d?connect_timeout=10000',
    'oracle://h/d',
    'postgresql://h i/d',
  ],
  ...[
    'sqlite:///a',
    'sqlite:///a/',
    'sqlite://a',
    'sqlite:///a?mode=rw',
    'sqlite:///a?mode=x',
    'sqlite:///a?sslmode=require',
  ],
  'removal-share:access/billing until 2026-12-01 because',
  'removal-share:access until 2026-02-30 because x',
  'everything:access until 2026-12-01 because x',
];

const numbers: readonly number[] = [
  -1, 0, 1, 1.5, 100, 101, 2_147_483_647, 2_147_483_648, 3_153_600_000, 3_153_600_001,
];

/** What is put in the place of a value. */
const replacements: readonly unknown[] = [...texts, ...numbers, true, [], {}, ['a', 'a'], ['a'], { a: 'b' }];

export interface Replaced {
  /** Such as `spec.passwordFrom.env`. */
  readonly path: string;
  readonly spec: Spec;
}

/** The specs of a kind, each place once with its value replaced in turn, and left out. */
export function* replacedSpecs(kind: KindName): Generator<Replaced> {
  const seen = new Set<string>();
  for (const spec of wholeSpecs[kind]) yield* replaced(spec, seen);
}

function* replaced(spec: Spec, seen: Set<string>): Generator<Replaced> {
  for (const place of placesIn(spec)) {
    const path = ['spec', ...place].join('.');
    if (seen.has(path)) continue;
    seen.add(path);
    for (const value of replacements) yield { path, spec: specWith(spec, place, value) };
    yield { path, spec: specWith(spec, place, undefined) };
  }
}

/** The paths of all fields and items. */
export function placesIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...placesIn(inner).map((path) => [key, ...path])]);
}

// A place inside of a mapping leaves it a mapping.
const specWith = (spec: Spec, place: readonly string[], value: unknown) => withValue(spec, place, value) as Spec;

function withValue(value: unknown, [key, ...rest]: readonly string[], replacement: unknown): unknown {
  if (key === undefined) return replacement;
  const change = (name: string, inner: unknown) => (name === key ? withValue(inner, rest, replacement) : inner);
  if (Array.isArray(value)) {
    return value.map((item, index) => change(String(index), item)).filter((item) => item !== undefined);
  }
  const fields = Object.entries(value ?? {}).map(([name, inner]) => [name, change(name, inner)] as const);
  return Object.fromEntries(fields.filter(([, inner]) => inner !== undefined));
}
