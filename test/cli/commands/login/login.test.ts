import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { makers } from '../../../server/support/make.ts';
import { type SignedIn, signedIn } from '../../../server/support/person.ts';
import { startTestService } from '../../../server/support/service.ts';
import { runCommand, type Started, startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const service = await startTestService();
const make = makers(service);

/** Reads standard error until the command tells its code. */
async function codeOf({ child }: Started): Promise<string> {
  let text = '';
  for await (const piece of child.stderr ?? []) {
    text += String(piece);
    const code = /[B-Z]{4}-[B-Z]{4}/.exec(text)?.[0];
    if (code !== undefined) return code;
  }
  throw new Error(`the command told no code: ${text}`);
}

async function confirm({ ok }: SignedIn, code: string): Promise<string | null> {
  return (await ok('confirmLogin', 'POST', `/login/${code}/confirm`)).redirect;
}

describe('rolecall login', () => {
  it('opens a session by what the browser brings to its port, which access uses and logout ends', async () => {
    using folder = temporaryFolder();
    const env = { XDG_CONFIG_HOME: folder.path, ROLECALL_URL: service.url };
    const person = await make.person();
    const source = await make.dataSource();
    await make.permission(source.id, person.id);
    const browser = await signedIn(service, person.id);
    const started = startCommand(['login', '--format', 'json'], { env });
    const redirect = await confirm(browser, await codeOf(started));
    // A page that guesses does not end the wait.
    const guess = new URL(redirect ?? '');
    guess.searchParams.set('confirmation', 'rolecall_login_guessed');
    await fetch(guess);
    assert.equal((await fetch(new URL('/', guess))).status, 404);
    const answer = await fetch(redirect ?? '');
    assert.match(await answer.text(), /You are signed in at the command line/);
    const { code, stdout } = await started.finished;
    assert.equal(code, 0);
    assert.equal((JSON.parse(stdout) as { person: { id: string } }).person.id, person.id);
    const access = await runCommand(['access'], { env });
    assert.match(access.stdout, new RegExp(`${source.alias ?? ''}.*permission`));
    const logout = await runCommand(['logout'], { env });
    assert.equal(logout.code, 0);
    const after = await runCommand(['access'], { env });
    assert.match(after.stderr, /you are not signed in at .*: run rolecall login/);
    const sessions = await browser.ok('listMySessions', 'GET', '/session');
    assert.deepEqual(
      sessions.map(({ kind }) => kind),
      ['browser'],
    );
  });

  it('opens a session by a code, where there is no browser', async () => {
    using folder = temporaryFolder();
    const env = { XDG_CONFIG_HOME: folder.path };
    const browser = await signedIn(service, (await make.person({ username: 'grace' })).id);
    const started = startCommand(['login', '--device', '--url', service.url], { env });
    assert.equal(await confirm(browser, await codeOf(started)), null);
    const { code, stdout } = await started.finished;
    assert.equal(code, 0);
    assert.match(stdout, /You are signed in as grace at http/);
    // A session that is over by now is signed out of too.
    const file = path.join(folder.path, 'rolecall/sessions.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/"expiresAt": "[^"]+"/, '"expiresAt": "2026-01-01T00:00:00Z"'),
    );
    const logout = await runCommand(['logout', '--url', service.url], { env });
    assert.equal(logout.code, 0, logout.stderr);
    assert.equal(readFileSync(file, 'utf8').trim(), '{}');
    assert.match((await runCommand(['logout', '--url', service.url], { env })).stderr, /you are not signed in/);
  });
});
