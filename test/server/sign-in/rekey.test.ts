import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { rekeyStore } from '@rolecall/server';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';
import { askStore, newStore, temporaryFolder } from '../support/stores.ts';
import { codeNow, invitationToken, longPassword, Visitor } from '../support/visitor.ts';

const file = path.join(await temporaryFolder(), 'key');
const newKey = () => randomBytes(32).toString('base64');
let current = newKey();
await writeFile(file, current);
const store = { ...(await newStore()), environment: { ROLECALL_STORE_KEY_FILE: file } };
const service = await startTestService(store);

async function rekey(): Promise<void> {
  const next = newKey();
  await writeFile(file, `${current}\n${next}`);
  await rekeyStore(store);
  current = next;
}

describe('a rekey, while a service runs', () => {
  it('keeps what people sign in with, and ends sessions and links, which the old key could have forged', async () => {
    const ada = await makers(service).person();
    const browser = new Visitor(service);
    await browser.enrol(ada.id);
    const { seed, recoveryCodes } = await browser.addTotp(longPassword);
    const ben = await makers(service).person();
    const token = await invitationToken(service, ben.id);
    await rekey();
    assert.equal(await browser.refused('GET', '/me'), 'signed_out');
    assert.equal(await browser.refused('POST', '/enrolment', { token }), 'sign_in_refused');
    assert.deepEqual(await askStore(store, 'select id from one_time_token'), []);
    await browser.signIn(ada.username, longPassword);
    await browser.ok('POST', '/sign-in/totp', { code: codeNow(seed, 1) });
    await browser.signIn(ada.username, longPassword);
    await browser.ok('POST', '/sign-in/recovery-code', { code: recoveryCodes[0] });
  });

  it('lets a replica that has not seen it take a session that another one has opened since', async () => {
    const ada = await makers(service).person();
    await rekey();
    // Opened by a process of its own, under the new key.
    const { token } = await signedIn(service, ada.id, { kind: 'command_line' });
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await service.call('GET', '/person/v1/me', { key: null, headers })).status, 200);
  });
});
