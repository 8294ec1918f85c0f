/** Over the embedded store only: what a person signs in with, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf } from '../../server/sign-in/totp.ts';
import { makers } from '../server/support/make.ts';
import { signedIn } from '../server/support/person.ts';
import { startTestService } from '../server/support/service.ts';
import { addAuthenticator, browserOptions, launchBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { expectPleasant, giveSession, watchProblems } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
// Passkeys need a domain.
const publicUrl = `http://localhost:${port}`;
const service = await startTestService({ host: 'localhost', port, publicUrl });
const make = makers(service);
const password = 'a long enough password';

/** Runs if a page takes text for HTML. */
const canary = '<img src=x onerror=alert(1)>';

/** A new person, who has set a password up by their invitation. */
async function enrol(page: Page): Promise<string> {
  const person = await make.person({ name: `Ada ${canary}` });
  const { link } = await service.ok<{ link: string }>('POST', `/person/${person.id}/invitation`, { json: {} });
  await page.goto(link);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Password again').fill(password);
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('link', { name: 'Ada' }).click();
  await page.getByRole('heading', { name: 'What you sign in with' }).waitFor();
  return person.id;
}

describe('the account, in a browser', browserOptions, () => {
  it('adds a passkey, renames and removes it, and makes new recovery codes', async () => {
    await using launched = await launchBrowser();
    const page = await launched.browser.newPage();
    const problems = watchProblems(page, publicUrl);
    await addAuthenticator(page);
    await enrol(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    const line = page.getByRole('listitem').filter({ hasText: 'Passkey' });
    await line.getByRole('button', { name: 'Rename' }).click();
    await line.getByLabel('New name').fill(`Key ${canary}`);
    await line.getByLabel('New name').press('Enter');
    const renamed = page.getByRole('listitem').filter({ hasText: `Key ${canary}` });
    await renamed.waitFor();
    await page.getByRole('button', { name: 'Make new codes' }).click();
    await page.locator('.codes code').first().waitFor();
    assert.equal(await page.locator('.codes code').count(), 10);
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await renamed.getByRole('button', { name: 'Remove' }).click();
    await renamed.getByRole('button', { name: 'Keep', exact: true }).click();
    await renamed.getByRole('button', { name: 'Remove' }).click();
    await renamed.getByRole('group').getByRole('button', { name: 'Remove' }).press('Enter');
    await renamed.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  it('sets an authenticator app up, changes the password, and says clearly what is wrong', async () => {
    await using launched = await launchBrowser();
    const page = await launched.browser.newPage();
    const problems = watchProblems(page, publicUrl);
    await enrol(page);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const secret = await page.locator('.secret').innerText();
    await page.getByLabel('Code of the app').fill('000000');
    await page.getByRole('button', { name: 'Use this app' }).click();
    await page.getByRole('alert').getByText('compare the clock of the device').waitFor();
    await expectPleasant(page, 'account');
    await page.getByLabel('Code of the app').fill(codeOf(secret, Math.floor(Date.now() / 30_000)));
    await page.getByRole('button', { name: 'Use this app' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Authenticator app', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByLabel('Present password').fill('not my password');
    await page.getByLabel('New password', { exact: true }).fill('correct horse');
    await page.getByLabel('New password again').fill('correct horsf');
    const change = page.getByRole('button', { name: 'Change', exact: true });
    await change.click();
    await page.getByRole('alert').getByText('The two passwords differ.').waitFor();
    await page.getByLabel('New password again').fill('correct horse');
    await change.click();
    await page.getByRole('alert').getByText('password is wrong').waitFor();
    await page.getByLabel('Present password').fill(password);
    await change.click();
    await change.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  it('asks for a proof where the sign-in was long ago, and then does what was asked', async () => {
    await using launched = await launchBrowser();
    const context = await launched.browser.newContext();
    const page = await context.newPage();
    const person = await enrol(page);
    const old = await signedIn(service, person, { provenAt: 0 });
    await giveSession(context, publicUrl, old.token);
    await page.reload();
    await page.getByRole('button', { name: 'Make new codes' }).click();
    await expectPleasant(page, 'proof');
    const proof = page.getByRole('region', { name: 'Proof that it is you' });
    await proof.getByLabel('Password').fill(password);
    await proof.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).waitFor();
    assert.equal(await page.locator('.codes code').count(), 10);
    await expectPleasant(page, 'recovery-codes');
  });

  it('asks for two factors where there are two: the password with a code or a recovery code, or a passkey', async () => {
    await using launched = await launchBrowser();
    const context = await launched.browser.newContext();
    const page = await context.newPage();
    const problems = watchProblems(page, publicUrl);
    await addAuthenticator(page);
    const person = await enrol(page);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const secret = await page.locator('.secret').innerText();
    const step = () => Math.floor(Date.now() / 30_000);
    await page.getByLabel('Code of the app').fill(codeOf(secret, step()));
    await page.getByRole('button', { name: 'Use this app' }).click();
    const recoveryCode = await page.locator('.codes code').first().innerText();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    const proof = page.getByRole('region', { name: 'Proof that it is you' });
    /** Asks for something that needs a proof, in a session that has none that is recent. */
    const ask = async () => {
      await giveSession(context, publicUrl, (await signedIn(service, person, { provenAt: 0 })).token);
      await page.reload();
      await page.getByRole('button', { name: 'Make new codes' }).click();
      await proof.getByLabel('Password').fill(password);
    };
    const isDone = async () => {
      await page.getByRole('button', { name: 'I have kept them' }).click();
      await proof.waitFor({ state: 'detached' });
    };
    await ask();
    await proof.getByText('Give your password and a code of your authenticator app.').waitFor();
    await proof.getByLabel('Code of your authenticator app').fill('000000');
    await proof.getByRole('button', { name: 'Go on' }).click();
    await proof.getByRole('alert').getByText('the code is wrong').waitFor();
    await proof.getByLabel('Code of your authenticator app').fill(codeOf(secret, step() + 1));
    await proof.getByRole('button', { name: 'Go on' }).click();
    await isDone();

    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Passkey' }).waitFor();
    await ask();
    await proof.getByText('Without the passkey, give your password and a code').waitFor();
    await expectPleasant(page, 'proof-passkey');
    await proof.getByRole('button', { name: 'Use a passkey' }).click();
    const fresh = await page.locator('.codes code').first().innerText();
    await isDone();
    await ask();
    await proof.getByRole('button', { name: 'Use a recovery code' }).click();
    await proof.getByLabel('Recovery code').fill(recoveryCode);
    await proof.getByRole('button', { name: 'Go on' }).click();
    await proof.getByRole('alert').getByText('the recovery code is wrong').waitFor();
    await proof.getByLabel('Recovery code').fill(fresh);
    await proof.getByRole('button', { name: 'Go on' }).click();
    await isDone();
    assert.deepEqual(problems, []);
  });

  it('has nothing that axe finds where an invitation and a tool lead to', async () => {
    await using launched = await launchBrowser();
    const page = await launched.browser.newPage();
    const { id } = await make.person({ name: `Ada ${canary}` });
    const { link } = await service.ok<{ link: string }>('POST', `/person/${id}/invitation`, { json: {} });
    await page.goto(link);
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('img').waitFor();
    await expectPleasant(page, 'set-up');
    const context = await launched.browser.newContext();
    await giveSession(context, publicUrl, (await signedIn(service, id)).token);
    const tool = await context.newPage();
    await tool.goto(`${publicUrl}/login`);
    await tool.getByLabel('Code that the command line shows').fill('ABCD-EFGH');
    await expectPleasant(tool, 'login');
    await tool.getByRole('button', { name: 'Go on' }).click();
    await tool.getByRole('alert').waitFor();
    await expectPleasant(tool, 'login-refused');
  });
});
