import { exactCollections } from '@rolecall/crds';
import { dataSource, membership, permission, person, role, snippet } from '../support.ts';
import type { Transition } from './crash.ts';

const allExact = { exact: exactCollections, rails: { maxRemovalPercent: 100, minimumRemoval: 1 } };
const ada = person('ada');
const grace = person('grace');
const billing = dataSource('billing');
const stock = dataSource('stock');
const analysts = role('analysts', { people: ['ada', 'grace'], dataSources: ['billing'] });
const team = [ada, grace, billing, analysts];
const ofAda = { owner: { kind: 'Person', username: 'ada' } } as const;
const ofGrace = { owner: { kind: 'Person', username: 'grace' } } as const;
const newAda = person('ada', { email: 'ada@king.example' });
const later = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2097-01-01T00:00:00.000Z' };

/** Everything that can happen to one object of each kind, and what goes together: crashed at each of its calls. */
export const catalogue: Readonly<Record<string, Transition>> = {
  'everything at once is created': {
    before: [],
    after: () => [
      ...team,
      person('linus', { locked: true }),
      permission('ada', 'billing'),
      snippet('Top', { owner: { kind: 'Role', role: 'analysts' } }),
      membership('analysts', 'linus'),
    ],
  },
  'a role gets other people and other data sources': {
    before: [ada, grace, billing, stock, role('analysts', { people: ['ada'], dataSources: ['billing'] })],
    after: () => [ada, grace, billing, stock, role('analysts', { people: ['grace'], dataSources: ['stock'] })],
  },
  'two roles exchange their people and data sources': {
    before: [
      ada,
      grace,
      billing,
      stock,
      role('analysts', { people: ['ada'], dataSources: ['billing'] }),
      role('support', { people: ['grace'], dataSources: ['stock'] }),
    ],
    after: () => [
      ada,
      grace,
      billing,
      stock,
      role('analysts', { people: ['grace'], dataSources: ['stock'] }),
      role('support', { people: ['ada'], dataSources: ['billing'] }),
    ],
    more: allExact,
  },
  'a person is created': { before: [], after: () => [ada] },
  'a person is created locked': { before: [], after: () => [person('ada', { locked: true })] },
  'a person is adopted and locked': { before: team, after: () => [person('grace', { locked: true })] },
  'a person is unlocked while access is taken and given': {
    before: [
      person('ada', { locked: true }),
      billing,
      stock,
      role('analysts', { people: ['ada'], dataSources: ['billing'] }),
    ],
    after: () => [
      ada,
      billing,
      stock,
      role('analysts', { people: [] }),
      role('keepers', { people: ['ada'], dataSources: ['stock'] }),
    ],
  },
  'a person is removed': {
    before: team,
    after: () => [grace, billing, role('analysts', { people: ['grace'] })],
    more: allExact,
  },
  'a person is edited': { before: team, after: () => [newAda, grace, billing, analysts] },
  'a person is edited who leaves one role and joins another': {
    before: [...team, stock],
    after: () => [
      newAda,
      grace,
      billing,
      stock,
      role('analysts', { people: ['grace'], dataSources: ['billing'] }),
      role('keepers', { people: ['ada'], dataSources: ['stock'] }),
    ],
  },
  'a person is renamed, as a front end that remembers ids sees it': {
    before: [...team, permission('ada', 'billing'), snippet('Mine', ofAda)],
    after: (ids) => [
      person('augusta', { id: ids.get('Person/ada')!, email: 'ada@example.com' }),
      grace,
      billing,
      role('analysts', { people: ['augusta', 'grace'], dataSources: ['billing'] }),
      permission('augusta', 'billing'),
      snippet('Mine', { owner: { kind: 'Person', username: 'augusta' } }),
    ],
  },
  'a person is renamed to the name of one who goes': {
    before: team,
    after: (ids) => [
      person('grace', { id: ids.get('Person/ada')!, name: 'ada', email: 'ada@example.com' }),
      billing,
      role('analysts', { people: ['grace'], dataSources: ['billing'] }),
    ],
    more: allExact,
  },
  'two people exchange their addresses': {
    before: team,
    after: () => [
      person('ada', { email: 'grace@example.com' }),
      person('grace', { email: 'ada@example.com' }),
      billing,
      analysts,
    ],
  },
  'two people exchange their usernames, as a front end that remembers ids sees it': {
    before: [...team, permission('ada', 'billing')],
    after: (ids) => [
      person('grace', { id: ids.get('Person/ada')!, name: 'ada', email: 'ada@example.com' }),
      person('ada', { id: ids.get('Person/grace')!, name: 'grace', email: 'grace@example.com' }),
      billing,
      analysts,
      permission('grace', 'billing'),
    ],
  },
  'a role is created and filled': { before: [ada, grace, billing], after: () => team },
  'a role is adopted and filled otherwise': {
    before: [...team, person('linus'), stock],
    after: () => [role('analysts', { people: ['grace', 'linus'], dataSources: ['stock'] })],
  },
  'a role is removed': { before: team, after: () => [ada, grace, billing], more: allExact },
  'a role is removed while another one gives the same': {
    before: team,
    after: () => [ada, grace, billing, role('readers', { people: ['ada'], dataSources: ['billing'] })],
    more: allExact,
  },
  'a role is renamed, as a front end that remembers ids sees it': {
    before: [...team, snippet('Top', { owner: { kind: 'Role', role: 'analysts' } })],
    after: (ids) => [role('readers', { id: ids.get('Role/analysts')! })],
  },
  'a role is renamed and filled otherwise': {
    before: [...team, person('linus'), stock],
    after: (ids) => [
      role('readers', { id: ids.get('Role/analysts')!, people: ['ada', 'linus'], dataSources: ['billing', 'stock'] }),
    ],
  },
  'a membership is created': {
    before: [ada, billing, role('analysts', { dataSources: ['billing'] })],
    after: () => [membership('analysts', 'ada')],
  },
  'a membership moves access from one role to another': {
    before: [...team, role('readers', { people: [], dataSources: ['billing'] })],
    after: () => [role('analysts', { people: ['grace'] }), membership('readers', 'ada')],
  },
  'a membership is removed while another one gives the same, and everybody else leaves': {
    before: [...team, stock, role('readers', { dataSources: ['billing', 'stock'] })],
    after: () => [
      role('analysts'),
      role('readers', { dataSources: ['billing'] }),
      membership('analysts', 'grace'),
      membership('readers', 'ada'),
      membership('analysts', 'billing', { name: 'billing-analysts', member: { kind: 'DataSource', alias: 'billing' } }),
    ],
    more: { exact: ['memberships'], rails: allExact.rails },
  },
  'two roles exchange their names, as a front end that remembers ids sees it': {
    before: [...team, stock, role('readers', { people: ['grace'], dataSources: ['stock'] })],
    after: (ids) => [
      role('readers', { id: ids.get('Role/analysts')!, name: 'analysts' }),
      role('analysts', { id: ids.get('Role/readers')!, name: 'readers' }),
    ],
  },
  'a data source is created': { before: [], after: () => [billing] },
  'a data source is created with its password': {
    before: [],
    after: () => [dataSource('billing', { password: { env: 'PASSWORD' } })],
    more: { secrets: { PASSWORD: 's3cret' } },
  },
  'a data source is adopted and changed': {
    before: team,
    after: () => [
      dataSource('billing', { displayName: 'Billing', uri: 'postgresql://reader@other.internal:5432/billing' }),
    ],
  },
  'a data source gets another alias, as a front end that remembers ids sees it': {
    before: team,
    after: (ids) => [dataSource('accounts', { id: ids.get('DataSource/billing')!, uri: billing.uri })],
  },
  'a data source gets another alias, and with it all that refers to it': {
    before: [...team, permission('ada', 'billing')],
    after: (ids) => [
      ada,
      grace,
      dataSource('accounts', { id: ids.get('DataSource/billing')!, uri: billing.uri }),
      role('analysts', { people: ['ada', 'grace'], dataSources: ['accounts'] }),
      permission('ada', 'accounts'),
    ],
  },
  'a data source is removed': {
    before: [...team, stock],
    after: () => [ada, grace, stock, role('analysts', { people: ['ada', 'grace'], dataSources: ['stock'] })],
    more: allExact,
  },
  'a permission is created': { before: team, after: () => [permission('ada', 'billing')] },
  'a permission is removed while a role gives the same': {
    before: [ada, billing, permission('ada', 'billing')],
    after: () => [ada, billing, role('readers', { people: ['ada'], dataSources: ['billing'] })],
    more: allExact,
  },
  'the window of a permission is changed where permissions are exact': {
    before: [ada, billing, permission('ada', 'billing')],
    after: () => [ada, billing, permission('ada', 'billing', later)],
    more: allExact,
  },
  'the window of a permission is changed, as a front end that remembers ids sees it': {
    before: [ada, billing, permission('ada', 'billing')],
    after: (ids) => [permission('ada', 'billing', { ...later, id: ids.get('Permission/ada-billing')! })],
  },
  'a snippet is created': { before: [ada], after: () => [snippet('Mine', ofAda)] },
  'a snippet gets a new text': {
    before: [ada, snippet('Mine', ofAda)],
    after: () => [snippet('Mine', { ...ofAda, text: 'select 2' })],
  },
  'a snippet gets an older text back': {
    before: [snippet('Top')],
    besides: async (client) => {
      const [top] = await client.call('listSnippets', {});
      const params = { snippet: top!.id };
      const { id } = await client.call('createSnippetVersion', {
        params,
        body: { name: 'Top', description: '', text: 'select 2' },
      });
      await client.call('activateSnippetVersion', { params: { ...params, snippetVersion: id } });
    },
    after: () => [snippet('Top')],
  },
  'a snippet gets everything else at once': {
    before: [ada, snippet('Mine')],
    after: (ids) => [
      snippet('Yours', {
        ...ofAda,
        id: ids.get('Snippet/Mine')!,
        text: 'select 3',
        locked: true,
        publicAccessLevel: 'read_only',
      }),
    ],
  },
  'a snippet is removed': { before: [ada, snippet('Mine', ofAda)], after: () => [ada], more: allExact },
  'two definitions have the name of a snippet whose owner goes': {
    before: [...team, snippet('Top', { owner: { kind: 'Role', role: 'analysts' } })],
    after: () => [ada, grace, billing, snippet('Top', ofAda), snippet('Top', { ...ofGrace, name: 'graces' })],
    more: { ...allExact, exact: ['roles'] },
  },
  'the owners of two snippets of one name go, and a third one has it': {
    before: [...team, snippet('Top', ofAda), snippet('Top', { ...ofGrace, name: 'graces' })],
    after: () => [person('linus'), snippet('Top', { owner: { kind: 'Person', username: 'linus' } })],
    more: allExact,
  },
  'a snippet outlives its owner': {
    before: [...team, snippet('Top', { owner: { kind: 'Role', role: 'analysts' } })],
    after: () => [ada, grace, billing, snippet('Top')],
    more: allExact,
  },
};
