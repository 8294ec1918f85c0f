import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type AnswerOf, mostComparisons, type Snapshot } from '@rolecall/api';
import { comparisonLimits } from '../../../server/snapshot/comparison.ts';
import { createKeys } from '../../support/new-store.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

type Key = { id: string; secret: string };

/** Asks whether data sources have these passwords; gives the answers by alias. */
async function compare(
  passwords: Readonly<Record<string, string>>,
  asker: Key = service.keys.read,
): Promise<Record<string, boolean | null | undefined>> {
  const key = randomBytes(32);
  const json = {
    key: key.toString('base64url'),
    passwords: Object.fromEntries(
      Object.entries(passwords).map(([alias, password]) => [
        alias,
        createHmac('sha256', key).update(password).digest('base64url'),
      ]),
    ),
  };
  const { dataSources } = await service.ok<Snapshot>('POST', '/snapshot', { key: asker, json });
  return Object.fromEntries(dataSources.map(({ alias, passwordMatches }) => [alias ?? '', passwordMatches]));
}

async function madeWith(password: string): Promise<string> {
  const login = password === '' ? 'u' : `u:${password}`;
  const { alias } = await make.dataSource({ configUri: `postgresql://${login}@db.internal/billing` });
  return alias ?? '';
}

async function recorded(): Promise<string[]> {
  const entries = await service.ok<AnswerOf<'listAuditEntries'>>('GET', '/audit?limit=1000');
  return entries.flatMap(({ changes }) =>
    changes.filter(({ action }) => action === 'password compared').map(({ name }) => name ?? ''),
  );
}

describe('comparing passwords', () => {
  it('says of each data source that was asked about whether it has the password', async () => {
    const [right, wrong, none, unasked] = [
      await madeWith('p%40ss'),
      await madeWith('other'),
      await madeWith(''),
      await madeWith('x'),
    ];
    const answers = await compare({ [right]: 'p@ss', [wrong]: 'p@ss', [none]: '', 'no-such-alias': 'p@ss' });
    assert.deepEqual(
      [answers[right], answers[wrong], answers[none], answers[unasked]],
      [true, false, false, undefined],
    );
  });

  it('records every wrong one, and no right one, and makes no one a manager', async () => {
    const alias = await madeWith('right');
    await compare({ [alias]: 'right' });
    assert.ok(!(await recorded()).includes(alias));
    const managed = await service.ok('GET', '/manager');
    const key = randomBytes(32).toString('base64url');
    const json = { key, passwords: { [alias]: 'A'.repeat(43) } };
    await service.ok('POST', '/snapshot', { json, headers: { 'rolecall-manager': 'rolecall/acme; exact' } });
    assert.equal((await recorded()).filter((name) => name === alias).length, 1);
    assert.deepEqual(await service.ok('GET', '/manager'), managed);
  });

  it('answers a key that was wrong too often no more, not even rightly, and other keys still', async () => {
    const [alias, other] = [await madeWith('right'), await madeWith('right')];
    const keys = await createKeys(service.store, ['read', 'write']);
    for (let guess = 0; guess < comparisonLimits.key.burst; guess += 1) {
      assert.equal((await compare({ [alias]: `guess ${guess}` }, keys.read))[alias], false);
    }
    const answers = await compare({ [alias]: 'right', [other]: 'right' }, keys.read);
    assert.deepEqual([answers[alias], answers[other]], [null, true]);
    assert.equal((await compare({ [alias]: 'right' }, keys.write))[alias], true);
  });

  it('answers about a data source no more once many keys were wrong', async () => {
    const alias = await madeWith('right');
    const { key, dataSource } = comparisonLimits;
    for (let used = 0; used < dataSource.burst; used += key.burst) {
      const { read } = await createKeys(service.store, ['read']);
      for (let guess = 0; guess < key.burst; guess += 1) await compare({ [alias]: `guess ${guess}` }, read);
    }
    const { read } = await createKeys(service.store, ['read']);
    assert.equal((await compare({ [alias]: 'right' }, read))[alias], null);
  });

  it('counts guesses that come at the same time', async () => {
    const alias = await madeWith('right');
    const { read } = await createKeys(service.store, ['read']);
    const guesses = Array.from({ length: 30 }, (_, guess) => compare({ [alias]: `guess ${guess}` }, read));
    const answers = (await Promise.all(guesses)).map((answer) => answer[alias]);
    assert.equal(answers.filter((answer) => answer === false).length, comparisonLimits.key.burst);
  });

  it('refuses more passwords than a workspace has, and digests that are none', async () => {
    const digest = 'A'.repeat(43);
    const passwords = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, digest]));
    const most = { key: digest, passwords: passwords(mostComparisons) };
    await service.ok('POST', '/snapshot', { key: service.keys.read, json: most });
    for (const json of [
      { key: digest, passwords: passwords(mostComparisons + 1) },
      { key: digest, passwords: { a: 'short' } },
      { key: 'short', passwords: {} },
    ]) {
      assert.equal((await service.call('POST', '/snapshot', { key: service.keys.read, json })).status, 422);
    }
  });
});
