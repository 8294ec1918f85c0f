import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Permission } from '@rolecall/api';
import { composePermissions } from '../../../../cli/commands/export/permissions.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const references = { people: new Map([['p', 'ada']]), dataSources: new Map([['d', 'billing']]) };

const permission = (id: string, startsAt: string, expiresAt: string): Permission => ({
  id,
  createdAt: startsAt,
  startsAt,
  expiresAt,
  person: { id: 'p', username: 'ada', name: 'Ada', email: 'ada@x.example' },
  dataSource: { id: 'd', alias: 'billing', name: 'Billing' },
});

describe('exported permissions', () => {
  it('stand with their data source, and are annotated and apart once they are over', () => {
    const over = permission('1', '2026-05-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z');
    const holding = permission('2', '2026-05-01T00:00:00.250Z', '2026-06-01T00:00:00.250Z');
    const { placed } = composePermissions([holding, over], references, now);
    assert.deepEqual(
      placed.map(({ file, document }) => [file, document.name, document.annotations]),
      [
        ['ended/billing.yaml', 'ada-billing-2026-05-01', { 'rolecall.dev/ended': 'true' }],
        ['data-sources/billing.yaml', 'ada-billing-2026-05-01-2', undefined],
      ],
    );
    assert.deepEqual(placed[1]?.document.spec, {
      person: 'ada',
      dataSource: 'billing',
      startsAt: '2026-05-01T00:00:00.250Z',
      expiresAt: '2026-06-01T00:00:00.250Z',
    });
  });

  it('are declared once, however often they were granted', () => {
    const window = ['2026-05-01T00:00:00.000Z', '2027-05-01T00:00:00.000Z'] as const;
    const { placed } = composePermissions([permission('1', ...window), permission('2', ...window)], references, now);
    assert.deepEqual(
      placed.map(({ document }) => document.comment),
      [['The workspace has it 2 times, which gives no more than once does.']],
    );
  });
});
