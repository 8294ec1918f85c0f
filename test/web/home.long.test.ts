/** Over the embedded store only: what a person reaches and what they are told, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Person } from '@rolecall/api';
import type { Browser, Page } from 'playwright-core';
import { makers } from '../server/support/make.ts';
import { signedIn } from '../server/support/person.ts';
import { startTestService } from '../server/support/service.ts';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { expectPleasant, giveSession, watchProblems } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
const service = await startTestService({ port, publicUrl: `http://127.0.0.1:${port}` });
const make = makers(service);

/** Runs if a page takes text for HTML. */
const canary = '<img src=x onerror=alert(1)>';

async function home(browser: Browser, person: Person): Promise<{ page: Page; problems: readonly string[] }> {
  const context = await browser.newContext();
  await giveSession(context, service.url, (await signedIn(service, person.id)).token);
  const page = await context.newPage();
  const problems = watchProblems(page, service.url);
  await page.goto(service.url);
  await page.getByRole('heading', { name: 'What you reach' }).waitFor();
  return { page, problems };
}

describe('what a person reaches, in a browser', browserOptions, () => {
  it('shows a grant when it arrives, counts it down, tells of its end before and after, without a reload', async () => {
    await using launched = await launchBrowser();
    const person = await make.person({ name: `Ada ${canary}` });
    const source = await make.dataSource({ name: `Billing ${canary}` });
    const { page, problems } = await home(launched.browser, person);
    await page.getByText('You reach no data source at the moment').waitFor();
    await make.permission(source.id, person.id, { duration: '8' });
    const card = page.locator('.card');
    await card.getByText(`Billing ${canary}`).waitFor();
    assert.match(await card.innerText(), /through the permission \d+/);
    assert.match(await card.innerText(), /\([0-8] s left\)/);
    const notices = page.locator('.notices');
    assert.equal(await notices.getAttribute('role'), 'status');
    await notices.getByText(`Your access to Billing ${canary} ends at`).waitFor();
    await notices.getByText(/ended at .* with the permission/).waitFor();
    assert.doesNotMatch(await notices.innerText(), /\d\dZ/, 'a time that is not in the time zone of the person');
    await notices.getByText('Access is changed in Git').waitFor();
    await page.getByRole('heading', { name: 'What you lost lately' }).waitFor();
    assert.equal(await card.count(), 0);
    assert.deepEqual(problems, []);
  });

  it('says of an address that is cut short or unknown that nothing is there', async () => {
    await using launched = await launchBrowser();
    const { page, problems } = await home(launched.browser, await make.person());
    const nothing = 'There is nothing at this address';
    await page.goto(`${service.url}/query/0b9e7f3a-52c4`);
    await page.getByRole('alert').getByText(nothing).waitFor();
    await page.goto(`${service.url}/nonsense`);
    await page.getByRole('heading', { name: nothing }).waitFor();
    await expectPleasant(page, 'nothing-here');
    await page.getByRole('link', { name: 'Go to Rolecall' }).click();
    await page.getByRole('heading', { name: 'What you reach' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('says who declared what has ended, and when access was taken away', async () => {
    await using launched = await launchBrowser();
    const [person, source, other] = [await make.person(), await make.dataSource(), await make.dataSource()];
    const { id } = await make.permission(other.id, person.id, { duration: '60' });
    const { page, problems } = await home(launched.browser, person);
    await service.ok('POST', `/data-source/${source.id}/permission/person/${person.id}`, {
      form: { duration: '5' },
      headers: { 'rolecall-manager': `rolecall/${canary.replaceAll(' ', '-')}` },
    });
    await page.locator('.card').getByText('declared by rolecall/').waitFor();
    const notices = page.locator('.notices');
    await notices.getByText('To ask again, propose a change in Git: rolecall/').waitFor();
    await service.ok('DELETE', `/permission/${id}`);
    const taken = notices.locator('.notice', { hasText: 'was taken away' });
    await taken.getByRole('button', { name: 'Close' }).click();
    await taken.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  it('has nothing that axe finds, in both themes, and fits 320 pixels', async () => {
    await using launched = await launchBrowser();
    const person = await make.person({ name: `Ada ${canary}` });
    const [source, later] = [await make.dataSource({ name: `Shop ${canary}` }), await make.dataSource()];
    await make.permission(source.id, person.id, { duration: '250' });
    await make.permission(later.id, person.id, { duration: '60', startsAt: '2030-01-01T00:00:00.000Z' }).catch(() => 0);
    const { page } = await home(launched.browser, person);
    await page.locator('.notices .notice').waitFor();
    await expectPleasant(page, 'home');
    const visitor = await launched.browser.newPage();
    await visitor.goto(`${service.url}/sign-in`);
    await visitor.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await expectPleasant(visitor, 'sign-in');
  });

  it('shows a message of an editor as it is posted, as text, until it is closed or deleted', async () => {
    await using launched = await launchBrowser();
    const [person, source] = [await make.person(), await make.dataSource()];
    await make.permission(source.id, person.id);
    const editor = await make.editor(person, source);
    const { page, problems } = await home(launched.browser, person);
    const post = (title: string) =>
      service.ok<{ id: string }>('POST', `/editor/${editor.id}/message`, {
        json: { title, message: `From 22:00 ${canary}` },
      });
    await post(`Maintenance ${canary}`);
    const notice = page.locator('.notices .notice');
    await notice.getByText(`Maintenance ${canary}`).waitFor();
    await notice.getByText(`From 22:00 ${canary}`).waitFor();
    assert.equal(await notice.getByRole('link').getAttribute('href'), `/editor/${editor.id}`);
    await notice.getByRole('button', { name: 'Close' }).press('Enter');
    await notice.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.card').waitFor();
    assert.equal(await notice.count(), 0);
    const { id } = await post('Second');
    await notice.getByText('Second').waitFor();
    await service.ok('DELETE', `/editor/${editor.id}/message/${id}`);
    await notice.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });
});
