/** Over the embedded store only: snippets, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

async function pageOf(browser: Browser, person: string): Promise<{ page: Page; problems: readonly string[] }> {
  const context = await browser.newContext();
  await giveSession(context, service.url, (await signedIn(service, person)).token);
  const page = await context.newPage();
  return { page, problems: watchProblems(page, service.url) };
}

describe('snippets, in a browser', browserOptions, () => {
  it('are created, found, changed, compared, put back and deleted', async () => {
    await using launched = await launchBrowser();
    const person = await make.person({ name: `Ada ${canary}` });
    await make.snippet({ publicAccessLevel: 'read_only', name: 'Another one' });
    const { page, problems } = await pageOf(launched.browser, person.id);
    await page.goto(`${service.url}/snippets`);
    await page.getByRole('link', { name: 'Another one' }).waitFor();
    await page.getByRole('button', { name: 'New snippet' }).click();
    await page.getByLabel('Name', { exact: true }).fill(`Top ${canary}`);
    await page.getByLabel('Description', { exact: true }).fill(`For ${canary}`);
    await page.getByRole('textbox', { name: 'Text' }).fill(`select 1\n-- ${canary}\nfrom a`);
    await page.getByLabel('Others may').selectOption('read');
    await expectPleasant(page, 'snippet-new');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: `Top ${canary}` }).waitFor();
    const place = page.url();
    await page.getByRole('button', { name: 'New version' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill(`select 2\n-- ${canary}\nfrom a`);
    await page.getByRole('button', { name: 'Save as the active version' }).click();
    await page.getByRole('region', { name: 'Text' }).getByText('select 2').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Make it the active one' }).getByRole('link').click();
    const difference = page.getByRole('region', { name: 'Differences' });
    assert.match(await difference.innerText(), /removed:\s+- select 2\s+added:\s+\+ select 1\s+-- <img/);
    await expectPleasant(page, 'snippet-difference');
    await page.getByRole('button', { name: 'Make it the active one' }).click();
    await page.getByRole('region', { name: 'Text' }).getByText('select 1').waitFor();

    await page.goto(`${service.url}/snippets`);
    await page.getByRole('searchbox').fill('no such');
    await page.getByText('No snippet has this').waitFor();
    await page.getByRole('searchbox').fill('TOP <img');
    await page.getByRole('link', { name: `Top ${canary}` }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Another one' }).count(), 0);
    await expectPleasant(page, 'snippets');

    await page.goto(place);
    await page.getByLabel('Others may').selectOption('read and write');
    await page.getByRole('button', { name: 'Change', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Delete the snippet' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Delete the snippet' }).press('Enter');
    await page.getByRole('heading', { name: 'Snippets' }).waitFor();
    await page.getByRole('link', { name: 'Another one' }).waitFor();
    assert.equal(await page.getByText('Top <img').count(), 0);
    assert.deepEqual(problems, []);
  });

  it('offer what the level allows, say why a locked one takes nothing, and appear as they are shared', async () => {
    await using launched = await launchBrowser();
    const person = await make.person();
    const { page } = await pageOf(launched.browser, person.id);
    await page.goto(`${service.url}/snippets`);
    await page.getByRole('heading', { name: 'Snippets' }).waitFor();
    const shared = await make.snippet({ publicAccessLevel: 'read_only', name: 'Shared just now' });
    await page.getByRole('link', { name: 'Shared just now' }).click();
    await page.getByText('you may read it').waitFor();
    assert.equal(await page.getByRole('button', { name: /New version|Delete|Change/ }).count(), 0);
    const locked = await make.snippet({ owner: 'person', ownerPersonId: person.id, isLocked: 'true' });
    await page.goto(`${service.url}/snippets/${locked.id}`);
    await page.getByText('This snippet is locked').waitFor();
    assert.equal(await page.getByRole('button', { name: /New version|Delete|Change/ }).count(), 0);
    await service.ok('DELETE', `/snippet/${shared.id}`);
    await page.goto(`${service.url}/snippets/${shared.id}`);
    await page.getByRole('alert').waitFor();
  });

  it('open from a link after the sign-in, and go into an editor as a new tab', async () => {
    await using launched = await launchBrowser();
    const person = await make.person();
    const source = await make.dataSource({ name: `Shop ${canary}` });
    await make.permission(source.id, person.id);
    const snippet = await make.snippet({ owner: 'person', ownerPersonId: person.id, text: `select '${canary}'` });
    const context = await launched.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${service.url}/snippets/${snippet.id}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    const session = await signedIn(service, person.id);
    await giveSession(context, service.url, session.token);
    await page.reload();
    await page.getByLabel('Data source').selectOption({ index: 0 });
    await page.getByRole('button', { name: 'Insert into the editor' }).click();
    await page.waitForURL(/\/editor\/[^/?]+\?tab=/);
    const { pathname, searchParams } = new URL(page.url());
    const tab = await session.ok('getTab', 'GET', `${pathname}/tab/${searchParams.get('tab') ?? ''}`);
    assert.deepEqual([tab.title, tab.text], ['Top customers', `select '${canary}'`]);
  });
});
