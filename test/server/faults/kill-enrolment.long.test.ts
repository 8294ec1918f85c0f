/** Over the embedded store only: the kills are those of its one process. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invitation, Me, Person, TotpSetup } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import { temporaryFolder } from '../support/service.ts';
import { codeNow } from '../support/visitor.ts';
import { postJson } from './requests.ts';
import { spareServices } from './spare-services.ts';

const kills = 15;
const longestWindowMs = 20_000;
const password = 'sh0rt pass';

/** What one person was told before the service was killed. */
interface Told {
  readonly person: string;
  enrolled: boolean;
  /** The cookie of the last session that was acknowledged. */
  cookie: string;
}

it('a service that is killed while people enrol and sign in leaves no half factor, and no session without a row', async (test) => {
  const dataDir = await temporaryFolder();
  const services = spareServices({ dataDir });
  const admin = await createKey({ dataDir, environment: {}, scope: 'admin' });
  const seen = { enrolled: 0, signedIn: 0, invited: 0 };
  // The kill comes within this time. On a slow machine it grows until someone has enrolled.
  let windowMs = 1500;
  try {
    let service = await services.start();
    for (let kill = 0; kill < kills; kill += 1) {
      const people = await Promise.all(
        Array.from({ length: 4 }, async (_, index) => {
          const name = `p${kill}-${index}`;
          const json = { name, username: name, email: `${name}@example.com` };
          return (await postJson<Person>(service.url, admin, '/person', json)).id;
        }),
      );
      const told = people.map((person): Told => ({ person, enrolled: false, cookie: '' }));
      const load = Promise.allSettled(
        told.map(async (one, index) => {
          const { link } = await postJson<Invitation>(service.url, admin, `/person/${one.person}/invitation`, {
            delivery: 'link',
          });
          await enrol(service.url, String(link).split('#')[1] ?? '', `p${kill}-${index}`, one);
        }),
      );
      await sleep(Math.random() * windowMs);
      await service.kill();
      await load;
      service = await services.start();
      for (const one of told) await verify(service.url, path.join(dataDir, 'rolecall.db'), one, seen);
      if (seen.enrolled === 0) windowMs = Math.min(1.5 * windowMs, longestWindowMs);
    }
  } finally {
    await services.close();
  }
  test.diagnostic(JSON.stringify(seen));
  assert.ok(seen.enrolled > 0 && seen.invited > 0, JSON.stringify(seen));
});

/** Enrols with a password and an authenticator app, then signs in again. Throws when the service is gone. */
async function enrol(url: string, token: string, username: string, told: Told): Promise<void> {
  let csrf = '';
  const send = async <T>(where: string, json?: unknown): Promise<T> => {
    const headers = { cookie: told.cookie, 'rolecall-csrf': csrf, 'content-type': 'application/json' };
    const body = json === undefined ? null : JSON.stringify(json);
    const answer = await fetch(`${url}/person/v1${where}`, { method: 'POST', headers, body });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) told.cookie = cookie.split(';')[0] ?? '';
    const found = JSON.parse(text) as T & { csrfToken?: string; me?: Me };
    csrf = found.csrfToken ?? found.me?.csrfToken ?? csrf;
    return found;
  };
  await send('/enrolment', { token });
  const { secret, setup } = await send<TotpSetup>('/totp-setup');
  await send('/factor', { password, totp: { setup, code: codeNow(secret) } });
  told.enrolled = true;
  await send('/sign-in/password', { username, password });
  await send('/sign-in/totp', { code: codeNow(secret, 1) });
}

async function verify(
  url: string,
  file: string,
  told: Told,
  seen: { enrolled: number; signedIn: number; invited: number },
) {
  using store = new DatabaseSync(file, { readOnly: true });
  const count = (sql: string) => Number(store.prepare(sql).get(told.person)?.['count'] ?? 0);
  const factor = (kind: string) =>
    count(`SELECT count(*) AS count FROM sign_in_factor WHERE person_id = ? AND kind = '${kind}'`);
  const invitations = count('SELECT count(*) AS count FROM one_time_token WHERE person_id = ?');
  const twoFactor = count('SELECT two_factor_enabled AS count FROM person WHERE id = ?');
  const isEnrolled = factor('password') === 1;
  const expected = isEnrolled ? { totp: 1, codes: 10, twoFactor: 1 } : { totp: 0, codes: 0, twoFactor: 0 };
  assert.deepEqual({ totp: factor('totp'), codes: factor('recovery_code'), twoFactor }, expected);
  if (isEnrolled) assert.equal(invitations, 0, 'the invitation is used up');
  if (told.enrolled) assert.ok(isEnrolled, 'what was acknowledged is there');
  if (isEnrolled) seen.enrolled += 1;
  if (invitations > 0) seen.invited += 1;
  if (told.cookie === '') return;
  // A request that was not answered may have replaced the session, but not without the row of the next one.
  const sessions = count('SELECT count(*) AS count FROM person_session WHERE person_id = ?');
  const { status } = await fetch(`${url}/person/v1/me`, { headers: { cookie: told.cookie } });
  if (status === 200) seen.signedIn += 1;
  assert.ok(sessions > 0, 'no session without a row');
}
