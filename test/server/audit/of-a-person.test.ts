import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readEntries, storedEntries } from '../../../server/audit/read.ts';
import { withData } from '../../../server/data/open-data.ts';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

it('the entries of a person are what they did and what was done about them, by username or identifier', async () => {
  const service = await startTestService();
  const make = makers(service);
  const [ada, ben] = [await make.person(), await make.person()];
  const snippet = { json: { name: 'Mine', description: '', text: 'select 1' } };
  for (const { id } of [ada, ben]) {
    await (await signedIn(service, id)).ok('createMySnippet', 'POST', '/snippet', snippet);
    await service.ok('PUT', `/person/${id}/lock`);
  }
  for (const person of [ada.username, ada.id]) {
    const entries = await withData(service.store, ({ store }) =>
      readEntries(storedEntries(store), { person, limit: 100 }),
    );
    assert.deepEqual(
      entries.map(({ operation, actor }) => [operation, actor.type]),
      [
        ['createPerson', 'api_key'],
        ['createMySnippet', 'person'],
        ['lockPerson', 'api_key'],
      ],
    );
    assert.equal(entries[1]?.actor.id, ada.id);
  }
});

it('the entries of a person include what only their identity as the author tells', async () => {
  const service = await startTestService();
  const ada = await makers(service).person();
  const { call } = await signedIn(service, ada.id);
  assert.equal((await call('POST', '/sign-out')).status, 200);
  const entries = await withData(service.store, ({ store }) =>
    readEntries(storedEntries(store), { person: ada.username, limit: 100 }),
  );
  assert.equal(entries.at(-1)?.operation, 'signOut');
});
