/** Over the embedded store only: the kills are those of its one process. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '@rolecall/api';
import { createKey, listAudit, verifyAudit } from '@rolecall/server';
import { codeOf } from '../../../server/sign-in/totp.ts';
import { freePort } from '../../support/free-port.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Browser, OpenIdProvider } from '../support/openid-provider.ts';
import { callsTo, type ServiceCalls, temporaryFolder } from '../support/service.ts';
import { longPassword, Visitor } from '../support/visitor.ts';
import { spareServices } from './spare-services.ts';

const kills = 12;
const longestWindowMs = 10_000;

/** A person who signs in again and again with one browser, until the service is gone. */
interface Signing {
  readonly person: string;
  /** Signs in once. Throws when the service is gone, and when it refuses. */
  readonly signIn: () => Promise<void>;
  /** The token that the browser was given last. */
  readonly token: () => string | undefined;
  /** How often it was told that it is in; what was sent last may have been done besides. */
  told: number;
  /** Looks at what is special to the factor. @param sessions how many sign-ins were stored */
  readonly verify: (store: DatabaseSync, sessions: number) => void;
}

const port = await freePort();
const origin = `http://localhost:${port}`;
const callback = `${origin}/person/v1/sign-in/oidc/company`;

it('a service that is killed while people sign in leaves no factor used without a session, and no session without it', async (test) => {
  const dataDir = await temporaryFolder();
  const company = await OpenIdProvider.start();
  await company.register(`${callback}/callback`);
  const oidc = [company.settings('company')];
  const services = spareServices({ dataDir, host: 'localhost', port, publicUrl: origin, oidc });
  const admin = await createKey({ dataDir, environment: {}, scope: 'admin' });
  // The kill comes within this time. On a slow machine it grows until someone has signed in at the provider.
  let windowMs = 500;
  const seen = { password: 0, totp: 0, passkey: 0, oidc: 0, afterLastAnswer: 0 };
  try {
    let service = await services.start();
    for (let kill = 0; kill < kills; kill += 1) {
      const calls = callsTo(origin, admin);
      const make = (kind: string) => makePerson(calls, `${kind}${kill}`);
      const signing = {
        password: await byPassword(calls, await make('password')),
        totp: await byTotp(calls, await make('totp')),
        passkey: await byPasskey(calls, await make('passkey')),
        oidc: byProvider(company, await make('oidc')),
      };
      const load = Promise.all(Object.values(signing).map(signUntilGone));
      await sleep(windowMs * (0.2 + 0.8 * Math.random()));
      await service.kill();
      await load;
      const created = await sessionsOf(dataDir);
      service = await services.start();
      using store = new DatabaseSync(path.join(dataDir, 'rolecall.db'), { readOnly: true });
      for (const [kind, one] of Object.entries(signing) as [keyof typeof signing, Signing][]) {
        const stored = created.get(one.person) ?? [];
        assert.ok(
          stored.length === one.told || stored.length === one.told + 1,
          `${kind}: ${stored.length}, ${one.told}`,
        );
        seen[kind] += one.told;
        if (stored.length > one.told) seen.afterLastAnswer += 1;
        // Each sign-in of a browser ends the session before: of all that were ever opened, one is left.
        const rows = store.prepare('SELECT id FROM person_session WHERE person_id = ?').all(one.person);
        assert.deepEqual(
          rows.map(({ id }) => id),
          stored.slice(-1),
          kind,
        );
        const me = await fetch(`${origin}/person/v1/me`, { headers: { cookie: `rolecall=${one.token()}` } });
        if (stored.length === one.told && one.told > 0) assert.equal(me.status, 200, `${kind}: what was told is there`);
        one.verify(store, stored.length);
      }
      await verifyAudit({ dataDir, environment: {} });
      if (seen.oidc === 0) windowMs = Math.min(1.5 * windowMs, longestWindowMs);
    }
  } finally {
    await services.close();
  }
  test.diagnostic(JSON.stringify(seen));
  const { afterLastAnswer: _byChance, ...signedIn } = seen;
  for (const [kind, count] of Object.entries(signedIn)) assert.ok(count > 0, `${kind}: ${JSON.stringify(seen)}`);
});

async function makePerson(calls: ServiceCalls, name: string): Promise<Person> {
  return calls.ok<Person>('POST', '/person', { json: { name, username: name, email: `${name}@example.com` } });
}

async function signUntilGone(one: Signing): Promise<void> {
  for (;;) {
    try {
      await one.signIn();
    } catch (error) {
      // A refusal would be a failure of the test; a service that is gone is not.
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

/** The sessions that the audit trail has, by person, in their order. */
async function sessionsOf(dataDir: string): Promise<Map<string, string[]>> {
  const sessions = new Map<string, string[]>();
  for (const { changes } of await listAudit({ dataDir, environment: {}, query: { limit: 100_000 } })) {
    for (const { kind, action, id, after } of changes) {
      if (kind !== 'session' || action !== 'created' || after?.['state'] === 'enrolling') continue;
      const { person } = after as { person: string };
      sessions.set(person, [...(sessions.get(person) ?? []), id]);
    }
  }
  return sessions;
}

const count = (store: DatabaseSync, sql: string, ...values: string[]): number =>
  Number(store.prepare(sql).get(...values)?.['count']);

async function byPassword(calls: ServiceCalls, { id, username }: Person): Promise<Signing> {
  const browser = new Visitor(calls, origin);
  await browser.enrol(id);
  await browser.ok('POST', '/factor', { password: longPassword });
  const one: Signing = {
    person: id,
    told: 1,
    token: () => browser.cookies.get('rolecall'),
    signIn: async () => {
      await browser.signIn(username, longPassword);
      one.told += 1;
    },
    verify: () => undefined,
  };
  return one;
}

/** Each code works once, so there are two sign-ins: with that of the present step, and with the next one. */
async function byTotp(calls: ServiceCalls, { id, username }: Person): Promise<Signing> {
  const browser = new Visitor(calls, origin);
  await browser.enrol(id);
  const { secret, setup } = await browser.ok<{ secret: string; setup: string }>('POST', '/totp-setup');
  // The first code is the last one: it must not grow too old on its way.
  const left = 30_000 - (Date.now() % 30_000);
  if (left < 5000) await sleep(left);
  const step = Math.floor(Date.now() / 30_000);
  const first = { setup, code: codeOf(secret, step - 1) };
  await browser.ok('POST', '/factor', { password: longPassword, totp: first });
  let [whole, pending] = [1, 0];
  const codes = [step, step + 1];
  const one: Signing = {
    person: id,
    told: 1,
    token: () => browser.cookies.get('rolecall'),
    signIn: async () => {
      await browser.signIn(username, longPassword);
      pending += 1;
      one.told += 1;
      const next = codes.shift();
      if (next === undefined) {
        codes.push(Number.NaN);
        return;
      }
      if (Number.isNaN(next)) throw new Error('there are no more codes');
      await browser.ok('POST', '/sign-in/totp', { code: codeOf(secret, next) });
      whole += 1;
      one.told += 1;
    },
    verify: (store, sessions) => {
      const counter = count(
        store,
        "SELECT counter AS count FROM sign_in_factor WHERE person_id = ? AND kind = 'totp'",
        id,
      );
      const isWhole = count(
        store,
        "SELECT count(*) AS count FROM person_session WHERE person_id = ? AND state = 'whole'",
        id,
      );
      // The last one that was stored is a code if there are as many whole sessions as pending ones, and one from the enrolment.
      const used = Math.ceil(sessions / 2) - 1;
      assert.equal(counter, step - 1 + Math.min(used, 2), JSON.stringify({ sessions, whole, pending }));
      assert.equal(isWhole, sessions % 2 === 1 && sessions <= 5 ? 1 : 0);
    },
  };
  return one;
}

async function byPasskey(calls: ServiceCalls, { id }: Person): Promise<Signing> {
  const [browser, passkey] = [new Visitor(calls, origin), new Authenticator(origin)];
  await browser.enrol(id);
  const credential = passkey.create(await browser.ok<Record<string, unknown>>('POST', '/passkey-setup'));
  await browser.ok('POST', '/factor', { passkey: { name: 'Laptop', credential } });
  const one: Signing = {
    person: id,
    told: 1,
    token: () => browser.cookies.get('rolecall'),
    signIn: async () => {
      const options = await browser.ok<Record<string, unknown>>('POST', '/sign-in/passkey-options');
      await browser.ok('POST', '/sign-in/passkey', { credential: passkey.get(options) });
      one.told += 1;
    },
    verify: (store, sessions) => {
      const counter = "SELECT counter AS count FROM sign_in_factor WHERE person_id = ? AND kind = 'passkey'";
      assert.equal(count(store, counter, id), sessions - 1, 'the counter of the passkey');
      spent += sessions;
      const challenges = "SELECT count(*) AS count FROM one_time_token WHERE kind = 'spent challenge'";
      assert.equal(count(store, challenges), spent, 'challenges that are spent');
    },
  };
  return one;
}

/** Challenges and sign-ins at a provider that are used up, of all people: their rows name no person. */
let [spent, ended] = [0, 0];

function byProvider(company: OpenIdProvider, { id, email }: Person): Signing {
  company.subject = crypto.randomUUID();
  company.accounts.set(company.subject, { email, email_verified: true });
  const browser = new Browser();
  const one: Signing = {
    person: id,
    told: 0,
    token: () => browser.cookie(callback, 'rolecall'),
    signIn: async () => {
      const last = await browser.follow(
        callback,
        (next) => !next.startsWith(company.issuer) && !next.startsWith(callback),
      );
      assert.equal(last, `${origin}/`);
      one.told += 1;
    },
    verify: (store, sessions) => {
      const accounts = "SELECT count(*) AS count FROM sign_in_factor WHERE person_id = ? AND kind = 'oidc'";
      assert.equal(count(store, accounts, id), sessions > 0 ? 1 : 0, 'the account is bound with the first session');
      ended += sessions;
      const states = "SELECT count(*) AS count FROM one_time_token WHERE kind = 'oidc_state'";
      assert.equal(count(store, states), ended, 'sign-ins that are used up');
    },
  };
  return one;
}
