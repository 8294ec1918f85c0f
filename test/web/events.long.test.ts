/** Over the embedded store only: what a page does with the stream of events, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { makers } from '../server/support/make.ts';
import { signedIn } from '../server/support/person.ts';
import { startTestService } from '../server/support/service.ts';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { giveSession } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
const service = await startTestService({ port, publicUrl: `http://127.0.0.1:${port}` });
const make = makers(service);

async function newContext(browser: Browser, person: string): Promise<BrowserContext> {
  const context = await browser.newContext();
  await giveSession(context, service.url, (await signedIn(service, person)).token);
  return context;
}

/** Waits until the page follows the events too: it is told of nothing that came before. */
async function showHome(page: Page): Promise<void> {
  const follows = page.waitForResponse('**/person/v1/events');
  await page.goto(service.url);
  await follows;
  await page.getByRole('heading', { name: 'What you reach' }).waitFor();
}

describe('the page and its stream of events, in a browser', browserOptions, () => {
  it('keeps trying while the service refuses, says so quietly, and is live again', async () => {
    await using launched = await launchBrowser();
    const context = await newContext(launched.browser, (await make.person()).id);
    const page = await context.newPage();
    let [refuses, asked] = [true, 0];
    await page.route('**/person/v1/events', (route) => {
      asked += 1;
      return refuses ? route.fulfill({ status: 503, body: '{}' }) : route.continue();
    });
    await showHome(page);
    await page.getByRole('status').getByText('Not live').waitFor();
    refuses = false;
    await page.getByText('Not live').waitFor({ state: 'detached' });
    assert.ok(asked <= 4, `${asked} tries`);
  });

  it('shows the sign-in, with the reason, when the session ends', async () => {
    await using launched = await launchBrowser();
    const { id } = await make.person();
    const page = await (await newContext(launched.browser, id)).newPage();
    await showHome(page);
    await service.ok('PUT', `/person/${id}/lock`);
    await page.getByText('Your account is locked.').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  it('stays signed in where another page of the browser has exchanged the session', async () => {
    await using launched = await launchBrowser();
    const { id } = await make.person();
    const context = await newContext(launched.browser, id);
    const page = await context.newPage();
    await showHome(page);
    const next = await signedIn(service, id);
    const before = (await context.cookies()).find(({ name }) => name === 'rolecall');
    await giveSession(context, service.url, next.token);
    const old: { id: string; isCurrent: boolean }[] = await next.ok('listMySessions', 'GET', '/session');
    const opened = page.waitForRequest('**/person/v1/events');
    for (const one of old.filter(({ isCurrent }) => !isCurrent)) await next.call('DELETE', `/session/${one.id}`);
    await opened;
    assert.notEqual(before?.value, next.token);
    await page.getByRole('heading', { name: 'What you reach' }).waitFor();
    assert.equal(await page.getByText('Sign in again').count(), 0);
  });

  it('gives way to newer pages of the person, and follows again when asked', async () => {
    await using launched = await launchBrowser();
    const { id } = await make.person();
    const page = await (await newContext(launched.browser, id)).newPage();
    await showHome(page);
    const others = await Promise.all(Array.from({ length: 8 }, () => signedIn(service, id)));
    const aborts = new AbortController();
    await Promise.all(
      others.map(({ token }) =>
        fetch(`${service.url}/person/v1/events`, { headers: { cookie: `rolecall=${token}` }, signal: aborts.signal }),
      ),
    );
    await page.getByText('you have opened many pages').waitFor();
    await page.getByRole('button', { name: 'Follow here' }).click();
    await page.getByText('you have opened many pages').waitFor({ state: 'detached' });
    aborts.abort();
  });
});
