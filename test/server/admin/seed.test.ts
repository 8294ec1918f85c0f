import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EditorDetail } from '@rolecall/api';
import { SeedError, seedEditors } from '@rolecall/server';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const seed = (entries: unknown) => seedEditors({ ...service.store, entries });
const editors = () => service.ok<{ id: string }[]>('GET', '/editor');

async function problemsOf(entries: unknown): Promise<string[]> {
  try {
    await seed(entries);
  } catch (error) {
    assert.ok(error instanceof SeedError);
    assert.equal(error.code, 'ERR_SEED');
    return error.message.split('\n');
  }
  assert.fail('the entries were taken');
}

describe('seeding', () => {
  it('makes editors that the running service shows at once, and changes nothing the second time', async () => {
    const [ada, grace, source] = [await make.person(), await make.person(), await make.dataSource()];
    const before = await editors();
    const tabs = [
      { title: 'One', text: 'select 1' },
      { title: 'Two', text: '' },
    ];
    const entries = [
      { person: ada.username.toUpperCase(), dataSource: source.alias, tabs },
      { person: grace.username, dataSource: source.alias, tabs: [] },
    ];
    assert.deepEqual(await seed(entries), { created: 2, updated: 0 });
    const after = await editors();
    assert.equal(after.length, before.length + 2);
    assert.deepEqual(await seed(entries), { created: 0, updated: 2 });
    assert.deepEqual(
      (await editors()).map(({ id }) => id),
      after.map(({ id }) => id),
    );
    const detail = await service.ok<EditorDetail>('GET', `/editor/${String(after.at(-2)?.id)}/detail`);
    assert.deepEqual(
      detail.tabs.map(({ title, text }) => ({ title, text })),
      tabs,
    );
  });

  it('names each entry and field that is wrong, and then makes nothing', async () => {
    const [ada, source] = [await make.person(), await make.dataSource()];
    const before = await editors();
    const good = { person: ada.username, dataSource: source.alias, tabs: [] };
    assert.deepEqual(
      await problemsOf([good, { ...good, person: 'nobody' }, { ...good, dataSource: 'nothing' }, good]),
      [
        'entry 2: person refers to no person: no person has the username nobody',
        'entry 3: dataSource refers to no data source: none has the alias nothing',
        'entry 4: is for the same person and data source as entry 1',
      ],
    );
    assert.deepEqual(await problemsOf([good, { person: 1, tab: [] }, { ...good, tabs: [{ title: '' }] }]), [
      'entry 2: person must be a string',
      'entry 2: dataSource is required',
      'entry 2: tabs is required',
      'entry 2: tab is not known; did you mean tabs?',
      'entry 3: tabs.0.title must not be empty',
      'entry 3: tabs.0.text is required',
    ]);
    assert.deepEqual(await problemsOf({ person: 'ada' }), ['entry 1: the file must hold a list']);
    assert.deepEqual(await problemsOf(['ada']), ['entry 1: must be an object']);
    assert.deepEqual(await editors(), before);
  });
});
