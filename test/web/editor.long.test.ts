/** Over the embedded store only: the editor, in a real browser. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { SchemaTables } from '@rolecall/api';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { startChildService } from '../server/support/child.ts';
import { makers } from '../server/support/make.ts';
import { signedIn } from '../server/support/person.ts';
import { startTestService, type TestService, temporaryFolder } from '../server/support/service.ts';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { expectPleasant, giveSession, watchProblems } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const service = await startTestService({ port, publicUrl: url });
const make = makers(service);

/** Markup that would show itself if the page took it for markup. */
const canary = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

interface AtWork extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly person: string;
  readonly source: string;
  readonly permission: string;
  readonly problems: readonly string[];
  readonly newWindow: () => Promise<Page>;
  /** What the service has of the first tab. */
  readonly stored: () => Promise<{ text: string; title: string }>;
}

/** A person in their editor on a file of its own. */
async function atWork(
  browser: Browser,
  { sql = 'create table customer (id integer, name text)', at = service } = {},
): Promise<AtWork> {
  const [make, { url }] = [makers(at), at];
  const file = path.join(await temporaryFolder(), 'shop.db');
  new DatabaseSync(file).exec(sql);
  const { id: person } = await make.person();
  const { id: source } = await make.dataSource({ name: 'Shop', configUri: `sqlite://${file}` });
  const { id: permission } = await make.permission(source, person);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const session = await signedIn(at, person);
  await giveSession(context, url, session.token);
  const { id: editor, tabs } = await session.ok('openEditor', 'POST', `/data-source/${source}/editor`);
  const page = await context.newPage();
  const problems = watchProblems(page, url);
  const open = async (one: Page) => {
    await one.goto(`${url}/editor/${editor}`);
    await code(one).waitFor();
    await one.getByText('Saved', { exact: true }).waitFor();
    return one;
  };
  await open(page);
  let reader: ReturnType<typeof signedIn> | undefined;
  return {
    ...{ page, context, person, source, permission, problems },
    newWindow: async () => open(await context.newPage()),
    stored: async () => {
      reader ??= signedIn(at, person);
      const { ok } = await reader;
      return ok('getTab', 'GET', `/editor/${editor}/tab/${tabs[0]?.id}`);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const code = (page: Page) => page.getByRole('textbox', { name: 'SQL' });

/** Whether the element has the focus, also within a shadow root. */
async function isFocused(place: Locator): Promise<boolean> {
  return (await place.and(place.page().locator(':focus')).count()) > 0;
}

async function type(page: Page, text: string): Promise<void> {
  await code(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

/** Before it knows that all of its tabs are saved, the page asks whether to leave it, and a reload waits for that for ever. */
async function reloadSaved(page: Page): Promise<void> {
  const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('rolecall draft'));
  await waitFor('a tab was not saved', async () => (await page.evaluate(drafts)).length === 0);
  await page.reload();
}

async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Fails unless it holds so many milliseconds from now at the latest. */
async function within(ms: number, holds: () => Promise<boolean>): Promise<void> {
  const took = await timeUntil(holds);
  assert.ok(took <= ms, `it took ${took} ms`);
}

/** @returns milliseconds */
async function timeUntil(holds: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  await waitFor('it never came', holds);
  return performance.now() - began;
}

describe('the editor, in a browser', browserOptions, () => {
  let launched: Awaited<ReturnType<typeof launchBrowser>>;
  before(async () => {
    launched = await launchBrowser();
  });
  after(() => launched[Symbol.asyncDispose]());

  it('takes a person from home to rows with the mouse, and has nothing that the policy refuses', async () => {
    await using work = await atWork(launched.browser, {
      sql: "create table customer (id integer, name text); insert into customer values (1, 'Lovelace')",
    });
    const { page, problems } = work;
    await page.goto(url);
    await page.getByRole('button', { name: 'Open Shop' }).click();
    await page.getByRole('treeitem', { name: 'customer' }).click();
    await page.getByRole('treeitem', { name: 'name' }).waitFor();
    await code(page).click();
    await page.keyboard.type('select * from cust');
    await page.getByRole('option', { name: 'customer' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Lovelace').waitFor();
    await work.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    await page.getByRole('gridcell', { name: 'Lovelace' }).click();
    await page.getByText('Copy', { exact: true }).click();
    await page.getByRole('button', { name: 'INSERT' }).click();
    await page.getByText('Copied the value.').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, "INSERT INTO table_name (name) VALUES\n  ('Lovelace');");
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('SCAN customer').waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByText('select * from customer', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Format' }).click();
    await waitFor(
      'the text was not laid out',
      async () => (await work.stored()).text === 'select\n  *\nfrom\n  customer',
    );
    assert.deepEqual(problems, []);
  });

  it('does the same by the keyboard alone, and several statements at once', async () => {
    await using work = await atWork(launched.browser);
    const { page, problems } = work;
    await page.goto(url);
    const open = page.getByRole('button', { name: 'Open Shop' });
    await open.waitFor();
    for (let count = 0; count < 20 && !(await isFocused(open)); count += 1) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await waitFor('the text is not ready for typing', () => isFocused(code(page)));
    await page.keyboard.type("select 'one' as a; select 'two' as b", { delay: 5 });
    await page.keyboard.press('Control+Enter');
    await page.getByText('two').last().waitFor();
    await page.keyboard.press('Control+Shift+Enter');
    await page.getByRole('tab', { name: '2: 1 row' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('marks an error where it is', async () => {
    await using work = await atWork(launched.browser);
    const { page } = work;
    await type(page, 'select 1;\nselect nmae from customer;\nselect 3;\nselect 4');
    await page.keyboard.press('Control+Shift+Enter');
    await page.getByText('no such column: nmae').waitFor();
    assert.equal(await page.locator('.cm-fault').innerText(), 'nmae');
    await page.getByText(/^Failed after .* The 2 statements after it did not run\.$/).waitFor();
    await expectPleasant(page, 'editor-error');
  });

  it('finds tables beyond those that it has read, and completes their columns', async () => {
    await using work = await atWork(launched.browser, {
      sql: 'create table customer (id integer); create table zebra (stripes integer)',
    });
    const { page, problems } = work;
    // As a database answers that has more tables than are given at a time.
    await page.route(/schema\/table\?(?!.*prefix)/, async (route) => {
      const answer = (await (await route.fetch()).json()) as SchemaTables;
      const tables = answer.tables.filter(({ name }) => name !== 'zebra');
      await route.fulfill({ json: { ...answer, tables, isComplete: false } });
    });
    await page.reload();
    await page.getByRole('treeitem', { name: 'customer' }).waitFor();
    await page.getByLabel('Find a table').fill('zeb');
    await page.getByRole('treeitem', { name: 'zebra' }).click();
    await page.getByRole('treeitem', { name: 'stripes' }).waitFor();
    await page.getByLabel('Find a table').fill('nothing');
    await page.getByText('No table was found.').waitFor();
    await type(page, 'select * from zebra where s');
    await page.keyboard.type('t');
    await page.getByRole('option', { name: 'stripes' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('asks for the variables of a statement, and has the database bind them', async () => {
    await using work = await atWork(launched.browser);
    const { page, problems } = work;
    await type(page, "select :a || '' as value, :b is null as gone");
    await page.keyboard.press('Control+Enter');
    const bar = page.getByRole('form', { name: 'Variables' });
    await waitFor('it was not asked for', () => isFocused(bar.getByLabel(':a', { exact: true })));
    await page.keyboard.type(canary);
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: canary }).waitFor();
    await page.getByRole('gridcell', { name: '1', exact: true }).waitFor();
    await expectPleasant(page, 'variables');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Set :a to NULL' }).click();
    await page.getByRole('button', { name: 'Run with these' }).click();
    await page.getByRole('gridcell', { name: 'NULL, no value' }).waitFor();
    await type(page, 'select 1; select :c');
    await page.keyboard.press('Control+Shift+Enter');
    await page.getByText('A statement with variables runs alone').waitFor();
    assert.deepEqual(problems, []);
  });

  it('has what was typed on the service within a second, and shows it again', async () => {
    await using work = await atWork(launched.browser);
    const { page, stored } = work;
    // A busy machine may save one text late. If it saves all three late, the page is slow.
    const took: number[] = [];
    for (const text of ['select 40', 'select 41', 'select 42']) {
      await type(page, text);
      took.push(await timeUntil(async () => (await stored()).text === text));
    }
    assert.ok(Math.min(...took) <= 1000, `it took ${took.join(', ')} ms`);
    await reloadSaved(page);
    await page.getByText('select 42').waitFor();
  });

  it('has a text of its own in each tab, however quickly one goes from one to the next', async () => {
    await using work = await atWork(launched.browser);
    const { page } = work;
    await type(page, 'select 1');
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByRole('tab', { name: 'Untitled 2' }).waitFor();
    await type(page, 'select 2');
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByRole('tab', { name: 'Untitled 3' }).waitFor();
    await reloadSaved(page);
    await code(page).waitFor();
    for (const title of ['Untitled 1', 'Untitled 3', 'Untitled 2'])
      await page.getByRole('tab', { name: title }).click();
    await page.getByText('select 2').waitFor();
    await page.getByRole('tab', { name: 'Untitled 1' }).click();
    await page.getByText('select 1').waitFor();
    await page.getByRole('button', { name: 'Delete the tab Untitled 1' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('select 1').waitFor();
  });

  it('never lets one window overwrite the other unseen', async () => {
    await using work = await atWork(launched.browser);
    const { page, newWindow, stored } = work;
    const other = await newWindow();
    await type(page, 'select 1 -- mine');
    await waitFor('it was not saved', async () => (await stored()).text === 'select 1 -- mine');
    // The other window is not looked at, so it has not read that yet.
    await code(other).focus();
    await other.keyboard.insertText('select 2 -- theirs');
    const question = other.getByRole('alertdialog', { name: 'Another window has changed this tab' });
    await question.waitFor();
    await question.getByText('select 1 -- mine').waitFor();
    await question.getByText('select 2 -- theirs').waitFor();
    await expectPleasant(other, 'editor-conflict');
    await other.setViewportSize({ width: 390, height: 800 });
    const [room, choice] = [question, question.getByRole('button', { name: 'Take the other one' })];
    const [around, inside] = [await room.boundingBox(), await choice.boundingBox()];
    assert.ok(around && inside && inside.y + inside.height <= around.y + around.height, 'a choice is out of sight');
    assert.equal((await stored()).text, 'select 1 -- mine');
    await other.reload();
    await question.waitFor();
    assert.equal((await stored()).text, 'select 1 -- mine');
    await question.getByRole('button', { name: 'Keep this one' }).click();
    await waitFor('the choice was not saved', async () => (await stored()).text.includes('theirs'));
  });

  it('says that it is not saved while the network is dead, and saves when it is back', async () => {
    await using work = await atWork(launched.browser);
    const { page, context, stored } = work;
    await context.setOffline(true);
    await type(page, 'select 3');
    await within(1000, () => page.getByText('Not saved: the service cannot be reached').isVisible());
    await context.setOffline(false);
    await waitFor('it was not saved', async () => (await stored()).text === 'select 3');
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  it('has the text again after the session has expired', async () => {
    await using work = await atWork(launched.browser);
    const { page, context, person, stored } = work;
    await context.clearCookies();
    await type(page, 'select 4');
    await page.getByRole('heading', { name: 'Sign in to Rolecall' }).waitFor();
    assert.equal((await stored()).text, '');
    await giveSession(context, url, (await signedIn(service, person)).token);
    await page.reload();
    await page.getByText('select 4').waitFor();
    await waitFor('it was not saved', async () => (await stored()).text === 'select 4');
  });

  it('loses nothing when the service is killed while one types: it has all up to a second before, and the page the rest', async () => {
    const own = await freePort();
    const there = { port: own, publicUrl: `http://127.0.0.1:${own}` };
    const first = await startTestService(there);
    await using work = await atWork(launched.browser, { at: first });
    const { page, person } = work;
    const session = await signedIn(first, person);
    const [editor] = await session.ok('listMyEditors', 'GET', '/editor');
    const { tabs } = await session.ok('getMyEditor', 'GET', `/editor/${editor?.id}`);
    await first.close();
    const killed = await startChildService({ ...first.store, ...there });
    /** Reads what one service after another has of the tab. One session reads it again and again: many would end that of the page. */
    const readerOf = async (service: TestService) => {
      const { ok } = await signedIn(service, person);
      return async () => (await ok('getTab', 'GET', `/editor/${editor?.id}/tab/${tabs[0]?.id}`)).text;
    };
    const typed: { readonly at: number; readonly text: string }[] = [];
    const typeFor = async (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; ) {
        await page.keyboard.type(String(typed.length % 10), { delay: 20 });
        typed.push({ at: performance.now(), text: (typed.at(-1)?.text ?? '') + String(typed.length % 10) });
      }
    };
    await code(page).click();
    await typeFor(2500);
    const at = performance.now();
    const ended = killed.end('SIGKILL');
    await Promise.all([
      ended,
      typeFor(1500),
      within(1000, () => page.getByText('Not saved: the service cannot be reached').isVisible()),
    ]);
    const elsewhere = await startTestService(first.store);
    const kept = await (await readerOf(elsewhere))();
    await elsewhere.close();
    const before = typed.findLast((one) => one.at <= at - 1000)?.text ?? '';
    assert.ok(before.length > 0 && kept.startsWith(before), `${kept} has not ${before}`);
    const again = await startTestService({ ...first.store, ...there });
    const textNow = await readerOf(again);
    await waitFor('the rest was not saved', async () => (await textNow()) === typed.at(-1)?.text);
  });

  it('keeps a text that another window deletes while this one types, as a new tab', async () => {
    await using work = await atWork(launched.browser);
    const { page, newWindow } = work;
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.getByRole('tab', { name: 'Untitled 2' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const other = await newWindow();
    await other.getByRole('tab', { name: 'Untitled 2' }).click();
    await page.getByRole('button', { name: 'Delete the tab Untitled 2' }).click();
    await page.getByRole('tab', { name: 'Untitled 2' }).waitFor({ state: 'detached' });
    await type(other, 'select 6 -- kept');
    await other.getByText('Not saved').waitFor();
    await other.getByRole('button', { name: 'Keep as a new tab' }).click();
    await other.getByText('Saved', { exact: true }).waitFor();
    await reloadSaved(other);
    await other.getByText('select 6 -- kept').waitFor();
  });

  it('saves what was typed while the service was gone', async () => {
    const own = await freePort();
    const there = { port: own, publicUrl: `http://127.0.0.1:${own}` };
    const first = await startTestService(there);
    await using work = await atWork(launched.browser, { at: first });
    const { page, person } = work;
    await first.close();
    await type(page, 'select 5');
    await page.getByText('Not saved: the service cannot be reached').waitFor();
    const again = await startTestService({ ...first.store, ...there });
    const { ok } = await signedIn(again, person);
    const [editor] = await ok('listMyEditors', 'GET', '/editor');
    const { tabs } = await ok('getMyEditor', 'GET', `/editor/${editor?.id}`);
    const text = async () => (await ok('getTab', 'GET', `/editor/${editor?.id}/tab/${tabs[0]?.id}`)).text;
    await waitFor('it was not saved', async () => (await text()) === 'select 5');
  });

  it('stops the query when access ends, keeps the tab, says why, and opens again', async () => {
    await using work = await atWork(launched.browser);
    const { page, person, source, permission } = work;
    await type(page, 'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Running').waitFor();
    // To get here may take longer than the access that ends.
    await make.permission(source, person, { duration: '3' });
    await service.ok('DELETE', `/permission/${permission}`);
    await page.getByRole('heading', { name: 'Your tabs are kept' }).waitFor();
    await page.getByRole('alert').getByText(/ended/).waitFor();
    await page.getByText('Untitled 1').waitFor();
    assert.equal(await page.getByText('with recursive').count(), 0);
    const { ok } = await signedIn(service, person);
    await waitFor('the query goes on', async () =>
      (await ok('listMyQueries', 'GET', '/query')).every(({ completedAt }) => completedAt !== null),
    );
    await page.getByText('ask those who maintain the definitions').first().waitFor();
    assert.equal(await page.getByText(/access to .* ended/).count(), 1, 'it is said twice');
    await expectPleasant(page, 'editor-lost');
    await make.permission(source, person);
    await code(page).waitFor();
    await page.getByText('with recursive').first().waitFor();
  });

  it('shows names, errors and titles as text, whatever they are', async () => {
    const name = `"${canary.replaceAll('"', '""')}"`;
    await using work = await atWork(launched.browser, { sql: `create table ${name} (${name} text)` });
    const { page, problems } = work;
    await page.getByRole('treeitem').first().click();
    await page.getByRole('treeitem').nth(1).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Untitled 1' }).dblclick();
    await page.getByLabel('Title of the tab').fill(canary);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: canary }).waitFor();
    await type(page, `select * from ${name} where ${name.replace('img', 'gmi')}`);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Failed after').or(page.getByText('Done in')).first().waitFor();
    await code(page).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('select * from ', { delay: 5 });
    await page.keyboard.press('Control+Space');
    await page.getByRole('option').first().waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByText('select * from').first().waitFor();
    await reloadSaved(page);
    await page.getByRole('tab', { name: canary }).waitFor();
    await code(page).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(`select * from ${name}`);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('region', { name: 'Plan' }).getByText(canary).waitFor();
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('region', { name: 'History' }).getByText(canary.slice(0, 20)).first().waitFor();
    await expectPleasant(page, 'editor-plan-and-history');
    assert.doesNotMatch(await page.title(), /^owned/);
    assert.deepEqual(problems, []);
  });

  it('is pleasant in every width and both themes', async () => {
    await using work = await atWork(launched.browser);
    const { page } = work;
    await type(page, "select 1 as one, 'x' as text -- a comment");
    await page.keyboard.press('Control+Enter');
    await page.getByText('Done in').waitFor();
    await expectPleasant(page, 'editor');
  });
});
