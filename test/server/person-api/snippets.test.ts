import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AccessLevel } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);
const version = { name: 'Renamed', description: '', text: 'select 2' };

/** What a person gets who reads a snippet, saves a version of it, gives access to it, and deletes it. */
async function tries({ call }: Awaited<ReturnType<typeof signedIn>>, snippet: string): Promise<(number | string)[]> {
  const answers = [
    await call('GET', `/snippet/${snippet}`),
    await call('GET', `/snippet/${snippet}/version`),
    await call('POST', `/snippet/${snippet}/version`, { json: version }),
    await call('POST', `/snippet/${snippet}`, { json: { publicAccessLevel: 'manage' } }),
    await call('DELETE', `/snippet/${snippet}`),
  ];
  return answers.map(({ status, body }) => (status === 200 ? status : (body as { code: string }).code));
}

describe("a person's snippets", () => {
  it('are read, changed and managed as the level says, and do not exist where it is none', async () => {
    const session = await signedIn(service, (await make.person()).id);
    const low = 'snippet_level_too_low';
    const may: Record<AccessLevel, (number | string)[]> = {
      none: ['not_found', 'not_found', 'not_found', 'not_found', 'not_found'],
      read_only: [200, 200, low, low, low],
      read_write: [200, 200, 200, low, low],
      manage: [200, 200, 200, 200, 200],
    };
    for (const [publicAccessLevel, expected] of Object.entries(may)) {
      const { id } = await make.snippet({ publicAccessLevel });
      const { snippets } = await session.ok('listMySnippets', 'GET', '/snippet');
      assert.deepEqual(
        snippets.filter((one) => one.id === id).map(({ level }) => level),
        publicAccessLevel === 'none' ? [] : [publicAccessLevel],
      );
      assert.deepEqual(await tries(session, id), expected, publicAccessLevel);
    }
  });

  it('are managed by their owner, and by the members of the role that owns them while they are members', async () => {
    const [owner, member] = [await make.person(), await make.person()];
    const role = await make.role();
    await service.ok('PUT', `/role/${role.id}/person/${member.id}`);
    const all = [200, 200, 200, 200, 200];
    const own = await make.snippet({ owner: 'person', ownerPersonId: owner.id });
    assert.deepEqual(await tries(await signedIn(service, owner.id), own.id), all);
    const session = await signedIn(service, member.id);
    const ofRole = await make.snippet({ owner: 'role', ownerRoleId: role.id });
    const { id } = await make.snippet({ owner: 'role', ownerRoleId: role.id });
    assert.deepEqual(await tries(session, ofRole.id), all);
    await service.ok('DELETE', `/role/${role.id}/person/${member.id}`);
    assertProblem(await session.call('GET', `/snippet/${id}`), 404, 'not_found');
  });

  it('that are locked may be read, and nothing else, by their owner too', async () => {
    const owner = await make.person();
    const { id } = await make.snippet({ owner: 'person', ownerPersonId: owner.id, isLocked: 'true' });
    const session = await signedIn(service, owner.id);
    const locked = 'snippet_locked';
    assert.deepEqual(await tries(session, id), [200, 200, locked, locked, locked]);
    const [before] = await session.ok('listMySnippetVersions', 'GET', `/snippet/${id}/version`);
    assertProblem(await session.call('POST', `/snippet/${id}/version/${before?.id}`), 409, locked);
  });

  it('are created for oneself, get versions, and are given to a role that one has', async () => {
    const [ada, role, other] = [await make.person(), await make.role(), await make.role()];
    await service.ok('PUT', `/role/${role.id}/person/${ada.id}`);
    const { ok, call } = await signedIn(service, ada.id);
    const made = await ok('createMySnippet', 'POST', '/snippet', {
      json: { name: 'Mine', description: '', text: 'select 1' },
    });
    assert.deepEqual([made.ownerPerson?.id, made.publicAccessLevel, made.level], [ada.id, 'none', 'manage']);
    const first = made.activeVersion.id;
    const second = await ok('createMySnippetVersion', 'POST', `/snippet/${made.id}/version`, { json: version });
    assert.equal(second.createdBy?.id, ada.id);
    const active = async () => (await ok('getMySnippet', 'GET', `/snippet/${made.id}`)).activeVersion.id;
    assert.equal(await active(), second.id);
    await ok('activateMySnippetVersion', 'POST', `/snippet/${made.id}/version/${first}`);
    assert.equal(await active(), first);
    const foreign = (await make.snippet()).activeVersion.id;
    assertProblem(await call('POST', `/snippet/${made.id}/version/${foreign}`), 404, 'not_found');
    const give = (ownerRoleId: string) => call('POST', `/snippet/${made.id}`, { json: { ownerRoleId } });
    assertProblem(await give(other.id), 422, 'invalid_fields');
    assert.equal((await give(role.id)).status, 200);
    assert.equal((await ok('getMySnippet', 'GET', `/snippet/${made.id}`)).ownerRole?.id, role.id);
  });
});
