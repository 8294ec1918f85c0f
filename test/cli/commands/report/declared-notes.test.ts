import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AccessFacts } from '@rolecall/reconcile';
import { accessRows } from '../../../../cli/commands/report/access-rows.ts';
import { DeclaredNotes } from '../../../../cli/commands/report/declared-notes.ts';
import { createLanes } from '../../../../cli/commands/report/page/lanes.ts';
import { rowsOf } from '../../../../cli/commands/report/page/rows.ts';
import { toReportData } from '../../../../cli/commands/report/page-data.ts';
import { membership, role } from '../../../reconcile/support.ts';

const turns = [
  { startsAt: '2026-12-07T09:00:00.000Z', expiresAt: '2026-12-14T09:00:00.000Z' },
  { startsAt: '2026-12-21T09:00:00.000Z', expiresAt: '2026-12-28T09:00:00.000Z' },
  { startsAt: '2027-01-04T09:00:00.000Z', expiresAt: '2027-01-11T09:00:00.000Z' },
] as const;
const at = new Date('2026-12-01T00:00:00.000Z');
const facts: AccessFacts = {
  people: [{ key: 'p', username: 'Ada', name: 'Ada', isLocked: false }],
  dataSources: [
    { key: 'b', alias: 'billing', name: 'Billing' },
    { key: 's', alias: 'shop', name: 'Shop' },
  ],
  roles: [
    { key: 'r', name: 'on-call', people: [{ key: 'p', windows: turns }], dataSources: [{ key: 'b' }, { key: 's' }] },
  ],
  permissions: [],
};
const shop = { kind: 'DataSource', alias: 'shop' } as const;
const declared = [
  role('on-call', { reason: 'of the role', owner: 'platform' }),
  membership('on-call', 'ada', { window: turns[0], reason: 'first turn' }),
  membership('on-call', 'ada', { window: { ...turns[1] }, owner: 'ada herself' }),
  membership('on-call', 'unused', { member: shop, reason: 'to mend orders' }),
];
const expected = [
  ['billing', turns[0].startsAt, 'first turn', 'platform'],
  ['billing', turns[1].startsAt, 'of the role', 'ada herself'],
  ['billing', turns[2].startsAt, 'of the role', 'platform'],
  ['shop', turns[0].startsAt, 'first turn', 'platform'],
  ['shop', turns[1].startsAt, 'of the role', 'ada herself'],
  ['shop', turns[2].startsAt, 'to mend orders', 'platform'],
];

describe('reasons and owners of a report', () => {
  it('are those of the turn, else of the data source in the role, else of the role', () => {
    const rows = accessRows(facts, at, { activeOnly: false }, new DeclaredNotes(declared));
    assert.deepEqual(
      rows.map(({ dataSource, startsAt, reason, owner }) => [dataSource.alias, startsAt, reason, owner]),
      expected,
    );
  });

  it('are the same on the page', () => {
    const data = toReportData(facts, { workspace: '', readAt: at, at }, declared);
    const lanes = createLanes(data);
    for (const found of [lanes.ofPerson(0), [...lanes.ofDataSource(0), ...lanes.ofDataSource(1)]]) {
      const rows = rowsOf([{ index: 0, lanes: found }], data, at.getTime());
      assert.deepEqual(
        rows.map(({ dataSource, start, reason, owner }) => [dataSource, new Date(start).toISOString(), reason, owner]),
        expected,
      );
    }
  });
});
