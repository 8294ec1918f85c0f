/** Over the embedded store only: the administrator's half of the page, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { inEditor } from '../server/person-api/in-editor.ts';
import { storeGatewaySessions } from '../server/support/gateway-session.ts';
import { makers } from '../server/support/make.ts';
import { signedIn } from '../server/support/person.ts';
import { emptySqlite } from '../server/support/queries.ts';
import { startTestService, temporaryFolder } from '../server/support/service.ts';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { expectPleasant, giveSession, watchProblems } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
const adminRole = 'administrators';
const service = await startTestService({ adminRole, port, publicUrl: `http://127.0.0.1:${port}` });
const make = makers(service);
const role = await make.role(adminRole);

/** Runs if a page takes text for HTML. */
const canary = '<img src=x onerror=alert(1)>';

async function pageOf(browser: Browser, person: string): Promise<{ page: Page; problems: readonly string[] }> {
  const context = await browser.newContext();
  await giveSession(context, service.url, (await signedIn(service, person)).token);
  const page = await context.newPage();
  const problems = watchProblems(page, service.url);
  await page.goto(service.url);
  return { page, problems };
}

/** Where a text that is a node of its own begins on the screen, in pixels. */
function leftOf(page: Page, text: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      range.selectNodeContents(node);
      if (node.nodeValue.trim() === '${text}') return range.getBoundingClientRect().left;
    }
    throw new Error('${text} is not there');
  })()`);
}

describe("the administrator's half, in a browser", browserOptions, () => {
  it('shows who reaches what, ends a session, posts a message and makes a link', async () => {
    await using launched = await launchBrowser();
    const admin = await make.person({ name: 'Admin Istrator' });
    await service.ok('PUT', `/role/${role.id}/person/${admin.id}`);
    const person = await make.person({ name: `Grace ${canary}` });
    const source = await make.dataSource({ name: `Shop ${canary}`, alias: 'shop-canary' });
    const crew = await make.role(`crew ${canary}`);
    await service.ok('PUT', `/role/${crew.id}/data-source/${source.id}`);
    await service.ok('PUT', `/role/${crew.id}/person/${person.id}`);
    await make.editor(person, source);
    const theirs = await signedIn(service, person.id);
    const { page, problems } = await pageOf(launched.browser, admin.id);
    await page.getByRole('link', { name: 'Administration' }).press('Enter');
    const line = page.getByRole('row').filter({ hasText: `Grace ${canary}` });
    await line.getByText(`role crew ${canary}`).waitFor();
    await page.getByRole('searchbox').fill('nobody has this');
    await page.getByText('Nothing is found.').waitFor();
    await page.getByRole('searchbox').fill('SHOP-can');
    await line.waitFor();
    await expectPleasant(page, 'admin-grants');

    await page.getByRole('link', { name: 'Who is signed in' }).click();
    assert.equal(await page.title(), 'Administration · Rolecall');
    const session = page.getByRole('listitem').filter({ hasText: `Grace ${canary}` });
    await session.getByRole('button', { name: 'End' }).click();
    await session.getByRole('group').getByRole('button', { name: 'End' }).press('Enter');
    await session.waitFor({ state: 'detached' });
    assert.equal((await theirs.call('GET', '/me')).status, 401);
    await expectPleasant(page, 'admin-sessions');

    await page.getByRole('link', { name: 'Messages' }).click();
    await page.getByRole('button', { name: 'Messages' }).click();
    await page.getByLabel('Title').fill(`Tonight ${canary}`);
    await page.getByLabel('Message', { exact: true }).fill(`Read-only ${canary}`);
    await page.getByRole('button', { name: 'Post' }).click();
    await page.getByText(`Read-only ${canary}`).waitFor();
    await expectPleasant(page, 'admin-messages');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText(`Read-only ${canary}`).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Which queries run' }).click();
    await page.getByText('No query is running.').waitFor();
    await expectPleasant(page, 'admin-queries');

    await page.getByRole('link', { name: 'Invitations' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Grace' }).getByRole('button', { name: 'Make a link' }).click();
    assert.match(await page.locator('.secret').innerText(), /\/enrol#/);
    await expectPleasant(page, 'admin-invitations');
    assert.deepEqual(problems, []);
  });

  it('lets no name of a program turn around what stands behind it in the list of connections', async () => {
    await using launched = await launchBrowser();
    const admin = await make.person();
    await service.ok('PUT', `/role/${role.id}/person/${admin.id}`);
    const [person, source] = [await make.person({ name: 'Connected' }), await make.dataSource()];
    // From the first letter on, everything would be read from right to left.
    await storeGatewaySessions(service, { person: person.id, dataSource: source.id, client: '\u202Epsql' });
    const { page, problems } = await pageOf(launched.browser, admin.id);
    await page.goto(`${service.url}/admin/connections`);
    const line = page.getByRole('listitem').filter({ hasText: 'Connected' });
    await line.getByText('psql').waitFor();
    assert.ok((await leftOf(page, 'from')) < (await leftOf(page, '192.0.2.7')), 'the address is in front of "from"');
    assert.deepEqual(problems, []);
  });

  it('cancels a query that runs, and the person sees who did', async () => {
    await using launched = await launchBrowser();
    const admin = await make.person({ name: `Admin ${canary}` });
    await service.ok('PUT', `/role/${role.id}/person/${admin.id}`);
    const ada = await inEditor(service, await emptySqlite(await temporaryFolder()));
    await make.permission(ada.source.id, ada.person.id);
    const query = await ada.execute(
      'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c',
    );
    const { page, problems } = await pageOf(launched.browser, admin.id);
    await page.goto(`${service.url}/admin/queries`);
    const line = page.getByRole('listitem').filter({ hasText: query });
    await line.getByText(ada.person.name).waitFor();
    await expectPleasant(page, 'admin-running');
    await line.getByRole('button', { name: 'Cancel the query' }).click();
    await line.getByRole('group').getByRole('button', { name: 'Cancel the query' }).press('Enter');
    await line.waitFor({ state: 'detached' });
    assert.equal((await ada.completed(query)).success, false);
    const { page: theirs, problems: theirProblems } = await pageOf(launched.browser, ada.person.id);
    await theirs.goto(`${service.url}/query/${query}`);
    await theirs.getByText(/^Stopped after/).waitFor();
    await theirs.getByText(`cancelled by the administrator Admin ${canary}`).waitFor();
    assert.equal(await theirs.getByRole('alert').count(), 0);
    assert.deepEqual([...problems, ...theirProblems], []);
  });

  it('is not offered to others, and shows them nothing at its address', async () => {
    await using launched = await launchBrowser();
    const person = await make.person();
    const { page } = await pageOf(launched.browser, person.id);
    await page.getByRole('heading', { name: 'What you reach' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Administration' }).count(), 0);
    await page.goto(`${service.url}/admin/sessions`);
    await page.getByRole('alert').getByText('Only administrators may do this', { exact: false }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'End' }).count(), 0);
  });
});
