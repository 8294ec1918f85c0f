import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Scope } from '@rolecall/api';
import { createKey, KeyError, listKeys, revokeKey, rotateKey } from '@rolecall/server';
import { shortId, timestamp } from '../support/match.ts';
import { newStore } from '../support/stores.ts';

const where = await newStore();

const failsWith = (code: string) => (error: unknown) => error instanceof KeyError && error.code === code;

describe('keys', () => {
  it('are made with a secret that is shown once', async () => {
    const { id, secret, createdAt, ...rest } = await createKey({ ...where, scope: 'write' });
    assert.match(id, shortId);
    assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
    assert.match(createdAt, timestamp);
    assert.deepEqual(rest, {
      name: null,
      scope: 'write',
      dataSources: null,
      rotatedAt: null,
      expiresAt: null,
      revokedAt: null,
    });
    assert.ok(!JSON.stringify(await listKeys(where)).includes(secret));
  });

  it('are listed oldest first, the revoked ones too', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const key = await createKey({ ...where, scope: 'read', expiresAt });
    const { secret: _shownOnce, ...shown } = key;
    assert.equal(shown.expiresAt, expiresAt.toISOString());
    const revoked = await revokeKey({ ...where, id: key.id });
    assert.deepEqual((await listKeys(where)).at(-1), { ...revoked, intact: true });
    assert.deepEqual(revoked, { ...shown, revokedAt: revoked.revokedAt });
    assert.match(String(revoked.revokedAt), timestamp);
    assert.deepEqual(await revokeKey({ ...where, id: key.id }), revoked, 'revoking again changes nothing');
  });

  it('get another secret when they are rotated', async () => {
    const key = await createKey({ ...where, scope: 'admin' });
    const rotated = await rotateKey({ ...where, id: key.id });
    assert.notEqual(rotated.secret, key.secret);
    assert.deepEqual(rotated, { ...key, secret: rotated.secret, rotatedAt: rotated.rotatedAt });
    assert.match(String(rotated.rotatedAt), timestamp);
  });

  it('may have a name, which lists show and rotating keeps; several may have the same', async () => {
    const first = await createKey({ ...where, scope: 'read', name: 'ci, Ünïcode 😀' });
    const second = await createKey({ ...where, scope: 'read', name: first.name ?? '' });
    const listed = await listKeys(where);
    for (const { id } of [first, second]) {
      assert.equal(listed.find((key) => key.id === id)?.name, 'ci, Ünïcode 😀');
      assert.equal((await rotateKey({ ...where, id })).name, 'ci, Ünïcode 😀');
    }
    for (const name of ['', ' ci', 'c\ni', 'c\u001b[31mi', 'x'.repeat(101), '\ud800']) {
      await assert.rejects(createKey({ ...where, scope: 'read', name }), failsWith('ERR_KEY_NAME'), name);
    }
  });

  it('that do not exist or are revoked, scopes that do not exist and times that are past are errors', async () => {
    await assert.rejects(revokeKey({ ...where, id: 'nobody' }), failsWith('ERR_KEY_NOT_FOUND'));
    await assert.rejects(rotateKey({ ...where, id: 'nobody' }), failsWith('ERR_KEY_NOT_FOUND'));
    const { id } = await createKey({ ...where, scope: 'read' });
    await revokeKey({ ...where, id });
    await assert.rejects(rotateKey({ ...where, id }), failsWith('ERR_KEY_REVOKED'));
    await assert.rejects(createKey({ ...where, scope: 'root' as Scope }), failsWith('ERR_KEY_SCOPE'));
    for (const expiresAt of [new Date(Date.now() - 1), new Date(Number.NaN)]) {
      await assert.rejects(createKey({ ...where, scope: 'read', expiresAt }), failsWith('ERR_KEY_EXPIRY'));
    }
  });
});
