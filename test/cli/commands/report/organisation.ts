import type { AccessFacts } from '@rolecall/reconcile';

/** The moment at which the organisation is looked at. */
export const moment = new Date('2026-11-21T17:00:00.000Z');

const names = {
  aiko: 'Aiko Tanaka',
  ben: 'Ben Kowalski',
  chidi: 'Chidi Eze',
  dawid: 'Dawid Zieliński',
  elif: 'Elif Demir',
  fatima: 'Fatima Haddad',
  grace: 'Grace Hopper',
  helena: 'Helena Costa',
  ines: 'Inés García',
  jonas: 'Jonas Weber',
  kofi: 'Kofi Mensah',
  liam: 'Liam Byrne',
  mara: 'Mara Lindqvist',
  noor: 'Noor Rahman',
  olga: 'Olga Petrova',
  priya: 'Priya Nair',
  ruth: 'Ruth Adler',
  samuel: 'Samuel Okafor',
  wei: 'Wei Zhang',
} as const;

const dataSources = {
  billing: 'Billing (production)',
  customers: 'Customers',
  postcodes: 'Postcodes and zones',
  shipping: 'Shipping (replica)',
  warehouse: 'Data warehouse',
} as const;

type Username = keyof typeof names;
type Alias = keyof typeof dataSources;
type Members = readonly (readonly [name: Username, since: string])[];
type Sources = readonly (readonly [name: Alias, since: string])[];

const roles: Readonly<Record<string, { people: Members; dataSources: Sources }>> = {
  'data-analysts': {
    people: [
      ['aiko', '2025-03-03'],
      ['samuel', '2025-09-15'],
      ['wei', '2026-10-19'],
      ['noor', '2026-06-01'],
    ],
    dataSources: [
      ['shipping', '2025-03-03'],
      ['postcodes', '2025-03-03'],
      ['warehouse', '2026-09-07'],
    ],
  },
  'finance-analysts': {
    people: [
      ['helena', '2024-11-04'],
      ['noor', '2025-05-12'],
      ['olga', '2026-11-02'],
    ],
    dataSources: [['billing', '2024-11-04']],
  },
  'platform-engineers': {
    people: [
      ['mara', '2024-01-15'],
      ['jonas', '2024-06-01'],
      ['chidi', '2025-01-07'],
      ['dawid', '2024-06-01'],
    ],
    dataSources: [
      ['shipping', '2024-01-15'],
      ['postcodes', '2024-01-15'],
    ],
  },
  'support-agents': {
    people: [
      ['fatima', '2025-02-10'],
      ['liam', '2025-02-10'],
      ['kofi', '2026-09-28'],
      ['ines', '2026-11-16'],
    ],
    dataSources: [
      ['customers', '2025-02-10'],
      ['postcodes', '2026-10-05'],
    ],
  },
};

const permissions: readonly (readonly [person: Username, dataSource: Alias, startsAt: string, expiresAt: string])[] = [
  ['ben', 'shipping', '2026-09-01T06:00Z', '2027-01-29T17:00Z'],
  ['ben', 'postcodes', '2026-09-01T06:00Z', '2026-11-27T17:00Z'],
  ['ruth', 'billing', '2026-01-12T07:00Z', '2026-02-27T17:00Z'],
  ['ruth', 'billing', '2027-01-11T07:00Z', '2027-02-26T17:00Z'],
  ['jonas', 'billing', '2026-11-09T22:10Z', '2026-11-10T04:10Z'],
  ['liam', 'billing', '2026-10-26T08:00Z', '2026-10-30T17:00Z'],
  ['liam', 'billing', '2026-11-20T08:00Z', '2026-11-24T17:00Z'],
  ['chidi', 'billing', '2026-11-02T00:00Z', '2026-11-09T00:00Z'],
  ['chidi', 'billing', '2026-11-16T00:00Z', '2026-11-23T00:00Z'],
  ['chidi', 'billing', '2026-11-30T00:00Z', '2026-12-07T00:00Z'],
  ['chidi', 'billing', '2026-12-14T00:00Z', '2026-12-21T00:00Z'],
  ['mara', 'billing', '2026-12-05T06:00Z', '2026-12-19T06:00Z'],
  ['samuel', 'billing', '2026-12-05T06:00Z', '2026-12-19T06:00Z'],
  ['priya', 'warehouse', '2026-11-16T08:00Z', '2027-05-31T17:00Z'],
  ['elif', 'customers', '2026-12-01T08:00Z', '2027-01-15T17:00Z'],
  ['dawid', 'warehouse', '2026-08-01T00:00Z', '2026-12-31T23:00Z'],
  ['aiko', 'customers', '2026-11-18T09:00Z', '2026-12-02T17:00Z'],
];

const since = (day: string): string => `${day}T08:00:00.000Z`;
const iso = (time: string): string => new Date(time).toISOString();

/** A small organisation at a fixed moment: every state, and every way to have access. */
export const organisation: AccessFacts = {
  people: Object.entries(names).map(([username, name]) => ({
    key: username,
    username,
    name,
    isLocked: username === 'dawid',
  })),
  dataSources: Object.entries(dataSources).map(([alias, name]) => ({ key: alias, alias, name })),
  roles: Object.entries(roles).map(([name, role]) => ({
    key: name,
    name,
    people: role.people.map(([key, day]) => ({ key, assignedAt: since(day) })),
    dataSources: role.dataSources.map(([key, day]) => ({ key, assignedAt: since(day) })),
  })),
  permissions: permissions.map(([person, dataSource, startsAt, expiresAt], index) => ({
    key: String(index + 1),
    person,
    dataSource,
    startsAt: iso(startsAt),
    expiresAt: iso(expiresAt),
  })),
};
