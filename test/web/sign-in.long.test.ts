/** Over the embedded store only: how people come in, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { codeOf } from '../../server/sign-in/totp.ts';
import { makers } from '../server/support/make.ts';
import { OpenIdProvider } from '../server/support/openid-provider.ts';
import { signedIn } from '../server/support/person.ts';
import { startTestService } from '../server/support/service.ts';
import { longPassword } from '../server/support/visitor.ts';
import { addAuthenticator, browserOptions, launchBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { giveSession } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
// Passkeys need a domain.
const publicUrl = `http://localhost:${port}`;
const company = await OpenIdProvider.start();
await company.register(`${publicUrl}/person/v1/sign-in/oidc/company/callback`);
const service = await startTestService({ host: 'localhost', port, publicUrl, oidc: [company.settings('company')] });
const make = makers(service);

async function invite(person: string): Promise<string> {
  const { link } = await service.ok<{ link: string }>('POST', `/person/${person}/invitation`, { json: {} });
  return link;
}

/** The code that an authenticator app shows, or will show some steps from now. */
function appCode(secret: string, steps = 0): string {
  return codeOf(secret, Math.floor(Date.now() / 30_000) + steps);
}

/** Fails on anything that the page reports: an error, a refused script, a request to another host. */
function watch(page: Page, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => {
    if (line.type() === 'error' && !line.text().includes('status of 4')) problems.push(line.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(publicUrl)) problems.push(request.url());
  });
}

describe('the sign-in, in a browser', browserOptions, () => {
  it('takes an invited person from the link to what they reach, with a password and an authenticator app', async () => {
    await using launched = await launchBrowser();
    const page = await launched.browser.newPage();
    const problems: string[] = [];
    watch(page, problems);
    const person = await make.person({ username: 'ada', name: 'Ada Lovelace' });
    const source = await make.dataSource({ name: 'Billing' });
    await make.permission(source.id, person.id);
    await page.goto(await invite(person.id));
    await page.getByRole('heading', { name: 'Welcome, Ada Lovelace' }).waitFor();
    for (const field of [page.getByLabel('Password', { exact: true }), page.getByLabel('Password again')]) {
      assert.equal(await field.getAttribute('type'), 'password', 'what is typed is masked');
      await field.fill('correct horse');
    }
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('button', { name: 'Without an app' }).click();
    await page.getByText('At least 15 characters, or 8 with an authenticator app.').waitFor();
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('img', { name: 'The secret for your authenticator app' }).waitFor();
    const secret = await page.locator('.secret').innerText();
    await page.getByLabel('Code of the app').fill(appCode(secret));
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('heading', { name: 'Keep these codes' }).waitFor();
    const codes = await page.locator('.codes code').allInnerTexts();
    assert.equal(codes.length, 10);
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('heading', { name: 'What you reach' }).waitFor();
    await page.getByText('Billing').waitFor();

    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out.').waitFor();
    await page.getByLabel('Username').fill('ADA');
    await page.getByLabel('Password').fill('wrong horse');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Code of your authenticator app').fill(appCode(secret, 1));
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('says in words of its own why a sign-in with a provider failed, and shows no text of the address', async () => {
    await using launched = await launchBrowser();
    const page = await launched.browser.newPage();
    const problems: string[] = [];
    watch(page, problems);
    const alert = page.getByRole('alert');
    await page.goto(`${publicUrl}/sign-in?error=locked`);
    assert.equal(await alert.innerText(), 'Your account here is locked. Ask an administrator.');
    for (const error of ['Call%20evil.example', 'toString', '<b>evil</b>']) {
      await page.goto(`${publicUrl}/sign-in?error=${error}`);
      assert.equal(await alert.innerText(), 'The sign-in failed. Try again.', error);
    }
    await page.goto(`${publicUrl}/sign-in`);
    await page.getByLabel('Username').waitFor();
    assert.equal(await alert.count(), 0);
    assert.deepEqual(problems, []);
  });

  it('with a provider leads back to the very place: its path, query and fragment', async () => {
    await using launched = await launchBrowser();
    const { id, email } = await make.person();
    company.accounts.set(company.subject, { email, email_verified: true });
    for (const place of ['/query/none?tab=two&of=%C3%BC', '/login#BCDF-GHJK']) {
      const context = await launched.browser.newContext();
      const page = await context.newPage();
      await page.goto(`${publicUrl}${place}`);
      await page.getByRole('link', { name: 'Sign in with company' }).click();
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
      assert.equal(page.url(), `${publicUrl}${place}`);
      const me = await context.request.get(`${publicUrl}/person/v1/me`);
      assert.equal(((await me.json()) as { person: { id: string } }).person.id, id);
    }
  });

  it('of long ago is proven again with the provider, before a factor is added', async () => {
    await using launched = await launchBrowser();
    const { id, email } = await make.person();
    company.subject = crypto.randomUUID();
    company.accounts.set(company.subject, { email, email_verified: true });
    const context = await launched.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${publicUrl}/account`);
    await page.getByRole('link', { name: 'Sign in with company' }).click();
    const add = page.getByRole('button', { name: 'Set up an authenticator app' });
    await add.waitFor();
    const old = await signedIn(service, id, { provenAt: 0, factors: ['oidc'] });
    await giveSession(context, publicUrl, old.token);
    await page.reload();
    await add.click();
    await page.getByRole('link', { name: 'Prove it with company' }).click();
    await add.click();
    await page.getByLabel('Code of the app').waitFor();
    assert.equal(page.url(), `${publicUrl}/account`);
  });

  it('takes an invited person in with a passkey alone, and again', async () => {
    await using launched = await launchBrowser();
    const page = await launched.browser.newPage();
    const problems: string[] = [];
    watch(page, problems);
    await addAuthenticator(page);
    const person = await make.person({ name: 'Ben Franklin' });
    await page.goto(await invite(person.id));
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('heading', { name: 'What you reach' }).waitFor();
    await page.getByRole('link', { name: 'Ben Franklin' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('in two windows of one browser goes on in either of them', async () => {
    await using launched = await launchBrowser();
    const person = await make.person();
    const context = await launched.browser.newContext();
    const [first, second] = [await context.newPage(), await context.newPage()];
    const link = await invite(person.id);
    for (const page of [first, second]) {
      await page.goto(link);
      await page.getByRole('heading', { name: /^Welcome/ }).waitFor();
    }
    // The session of the second one took the place of the first one's.
    await first.getByLabel('Password', { exact: true }).fill(longPassword);
    await first.getByLabel('Password again').fill(longPassword);
    await first.getByRole('button', { name: 'Set up' }).click();
    await first.getByRole('heading', { name: 'What you reach' }).waitFor();
    await second.getByLabel('Password', { exact: true }).fill(longPassword);
    await second.getByLabel('Password again').fill(longPassword);
    await second.getByRole('button', { name: 'Set up' }).click();
    await second.getByRole('heading', { name: 'What you reach' }).waitFor();
  });

  it('of another person in another window leaves nothing of the first one on the page', async () => {
    await using launched = await launchBrowser();
    const [ada, ben] = [await make.person(), await make.person({ name: 'Ben Franklin' })];
    const [kept, lost] = [await make.dataSource({ name: 'Shop' }), await make.dataSource({ name: 'Billing' })];
    await make.permission(kept.id, ada.id);
    const { id } = await make.permission(lost.id, ada.id);
    const context = await launched.browser.newContext();
    await giveSession(context, publicUrl, (await signedIn(service, ada.id)).token);
    const page = await context.newPage();
    await page.goto(publicUrl);
    await page.getByText('Billing').waitFor();
    await service.ok('DELETE', `/permission/${id}`);
    await page.locator('.notices').getByText('Billing').waitFor();
    await page.getByRole('button', { name: 'Open Shop' }).click();
    await page.getByRole('tab', { name: 'Untitled 1' }).waitFor();
    company.subject = crypto.randomUUID();
    company.accounts.set(company.subject, { email: ben.email, email_verified: true });
    await (await context.newPage()).goto(`${publicUrl}/person/v1/sign-in/oidc/company`);
    await page.getByRole('link', { name: 'Ben Franklin' }).waitFor();
    await page.getByText('There is no editor').waitFor();
    const shown = await page.locator('body').innerText();
    assert.doesNotMatch(shown, /Shop|Billing|Untitled/);
  });
});
