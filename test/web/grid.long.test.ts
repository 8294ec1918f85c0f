/** Over the embedded store only: the results of queries, in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { inEditor } from '../server/person-api/in-editor.ts';
import { makers } from '../server/support/make.ts';
import { emptySqlite } from '../server/support/queries.ts';
import { startTestService, temporaryFolder } from '../server/support/service.ts';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { expectPleasant, giveSession, watchProblems } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const service = await startTestService();
const make = makers(service);
const configUri = await emptySqlite(await temporaryFolder());
const ada = await inEditor(service, configUri);
const grant = await make.permission(ada.source.id, ada.person.id);

const canary = `<img src=x onerror="alert('canary')">`;
const quoted = canary.replaceAll("'", "''");
const rowsTo = (count: number) => `with recursive g(x) as (select 1 union all select x + 1 from g where x < ${count})`;
const millionRows = `${rowsTo(1_000_000)} select x as id, 'row ' || x as name, x % 7 as seventh from g`;

/** Runs commands, and opens the page of the query once it is complete. */
async function open(commands: readonly string[]) {
  const query = await ada.execute(...commands);
  await ada.completed(query);
  return openAt(`/query/${query}`);
}

let launched: Awaited<ReturnType<typeof launchBrowser>>;

async function openAt(path: string) {
  const context = await launched.browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
  await giveSession(context, service.url, ada.session.token);
  const page = await context.newPage();
  const problems = watchProblems(page, service.url);
  await page.goto(`${service.url}${path}`);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true });
const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

/** Waits until an expression is true in the page. `waitForFunction` polls from within, where the page's policy lets no text run. */
async function holds(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await page.evaluate<boolean>(expression))) {
    assert.ok(Date.now() < end, `never true: ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** The number of the first row that the page has. */
const firstRow = (page: Page) =>
  page.evaluate<number>(`Number(document.querySelector('.grid-row').getAttribute('aria-rowindex')) - 1`);

/** Waits until the focus is on something with this text. */
const focusOn = (page: Page, text: RegExp) =>
  holds(page, `new RegExp(${JSON.stringify(text.source)}).test(document.activeElement.textContent)`);

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

describe('the grid, in a browser', browserOptions, () => {
  /** One query for all tests that need many rows: a busy machine takes long to make them. */
  let million: string;
  before(async () => {
    launched = await launchBrowser();
    million = await ada.execute(millionRows);
    await ada.completed(million, 60_000);
  });
  after(() => launched[Symbol.asyncDispose]());

  it('goes anywhere in a million rows, by the scrollbar, the wheel and a number', async () => {
    await using opened = await openAt(`/query/${million}`);
    const { page, problems } = opened;
    await cell(page, 'row 1').waitFor();
    await page.getByText('1,000,000 rows, 3 columns').waitFor();
    const grid = page.getByRole('grid');
    assert.equal(await grid.getAttribute('aria-rowcount'), '1000001');
    assert.equal(await grid.getAttribute('aria-colcount'), '4');
    const scroll = (share: number) =>
      page.evaluate(
        `{ const at = document.querySelector('.grid-scroll'); at.scrollTop = at.scrollHeight * ${share}; }`,
      );
    await scroll(1);
    await cell(page, 'row 1000000').waitFor();
    await scroll(0.5);
    await page
      .getByRole('gridcell', { name: /^row (49|50)\d{4}$/ })
      .first()
      .waitFor();
    await scroll(0);
    await cell(page, 'row 1').waitFor();
    await page.locator('.grid-scroll').hover();
    // Ten rows of 28 pixels a turn, not ten times as many as the scale of the scrollbar. A busy browser may cut a turn short.
    let turns = 0;
    for (let first = 1; first < 9; first = await firstRow(page)) {
      turns += 1;
      await page.mouse.wheel(0, 280);
      await page.waitForTimeout(300);
    }
    assert.ok((await firstRow(page)) <= 10 * turns + 1, `row ${await firstRow(page)} after ${turns} turns`);
    await page.getByRole('spinbutton', { name: 'Go to row' }).fill('777777');
    await press(page, 'Enter');
    await cell(page, 'row 777777').waitFor();
    const nodes = await page.evaluate<number>(`document.querySelectorAll('.grid *').length`);
    assert.ok(nodes < 1500, `${nodes} elements`);
    assert.deepEqual(problems, []);
  });

  it('is used with the keyboard alone: move, select, copy, sort, widen, see a whole value', async () => {
    await using opened = await openAt(`/query/${million}`);
    const { page, problems } = opened;
    await cell(page, 'row 1').waitFor();
    for (let count = 0; (await focused(page)) !== '1'; count += 1) {
      assert.ok(count < 20, 'Tab does not reach the grid');
      await press(page, 'Tab');
    }
    await press(page, 'ArrowRight', 'ArrowDown');
    await focusOn(page, /^row 2$/);
    // The focus stays with its cell, also while that is far out of sight.
    for (const [top, seen] of [
      [1e9, 'row 1000000'],
      [0, 'row 3'],
    ]) {
      await page.evaluate(`document.querySelector('.grid-scroll').scrollTop = ${top}`);
      await cell(page, String(seen)).waitFor();
      await focusOn(page, /^row 2$/);
    }
    await press(page, 'Control+End');
    await cell(page, 'row 1000000').waitFor();
    await holds(page, `document.activeElement.getAttribute('aria-colindex') === '4'`);
    await press(page, 'Home', 'ArrowRight');
    await focusOn(page, /^row 1000000$/);
    await press(page, 'PageUp');
    await focusOn(page, /^row 9999\d\d$/);
    await press(page, 'Control+Home', 'Shift+ArrowDown', 'Shift+ArrowRight', 'Control+c');
    await page.getByText('Copied 2 rows of 2 columns.').waitFor();
    assert.equal(await copied(page), 'id\tname\n1\trow 1\n2\trow 2');
    await press(page, 'Control+Home', 'ArrowRight', 'Control+c');
    await page.getByText('Copied the value.').waitFor();
    assert.equal(await copied(page), 'row 1');
    await press(page, 'Control+a', 'Control+c');
    await page.getByText('A copy has at most 5,000 rows, and 1,000,000 are selected.').waitFor();
    await press(page, 'Control+Home', 'Enter');
    await page.getByRole('complementary', { name: 'Whole value' }).waitFor();
    await press(page, 'Escape');
    await page.getByRole('complementary', { name: 'Whole value' }).waitFor({ state: 'detached' });
    await press(page, 'ArrowUp', 'Enter', 'Enter');
    await page.getByText('Of the first 5,000 rows, which are loaded: sorted by id, descending.').waitFor();
    await cell(page, 'row 5000').waitFor();
    const name = page.getByRole('columnheader', { name: /^id/ });
    assert.equal(await name.getAttribute('aria-sort'), 'descending');
    const before = (await name.boundingBox())!.width;
    await press(page, 'Shift+ArrowRight');
    await holds(page, `document.activeElement.offsetWidth === ${before + 16}`);
    await press(page, 'Enter');
    await cell(page, 'row 1').waitFor();
    assert.deepEqual(problems, []);
  });

  it('selects with the mouse, and scrolls on while it is held beyond the edge', async () => {
    await using opened = await openAt(`/query/${million}`);
    const { page, problems } = opened;
    const box = (await cell(page, 'row 2').boundingBox()) ?? assert.fail('it has no place');
    await page.mouse.move(box.x + 10, box.y + 10);
    await page.mouse.down();
    const grid = (await page.getByRole('grid').boundingBox()) ?? assert.fail('it has no place');
    await page.mouse.move(box.x + 10, grid.y + grid.height + 60, { steps: 4 });
    await page
      .getByRole('gridcell', { name: /^row \d{3,}$/ })
      .first()
      .waitFor();
    await page.mouse.up();
    const end = Number(await page.locator('.grid-cell[tabindex="0"]').locator('..').getAttribute('aria-rowindex')) - 1;
    await page.waitForTimeout(300);
    await press(page, 'Control+c');
    await page.getByText('Copied').and(page.getByText('rows of 1 column')).first().waitFor();
    const text = await copied(page);
    assert.match(text, /^name\nrow 2\nrow 3\n/);
    assert.ok(end > 60 && text.trim().split('\n').length - 1 >= end - 2, `${end}`);
    assert.deepEqual(problems, []);
  });

  it('has 200 columns, of which the document holds only those in sight, and 390 pixels are enough', async () => {
    const columns = Array.from({ length: 200 }, (_none, index) => `x * ${index + 1} as c${index + 1}`).join(', ');
    await using opened = await open([`${rowsTo(300)} select ${columns} from g`]);
    const { page, problems } = opened;
    await page.getByRole('columnheader', { name: /^c1 / }).waitFor();
    await cell(page, '2').first().click();
    await press(page, 'Control+ArrowRight');
    await page.getByRole('columnheader', { name: /^c200 / }).waitFor();
    await focusOn(page, /^200$/);
    assert.ok((await page.getByRole('columnheader').count()) < 40);
    await press(page, 'Control+Space', 'Control+c');
    await page.getByText('Copied 300 rows of 1 column.').waitFor();
    assert.match(await copied(page), /^c200\n200\n400\n/);
    await expectPleasant(page, 'grid');
    assert.deepEqual(problems, []);
  });

  it('shows whole values as they are, and NULL apart from NULL in letters and from an empty text', async () => {
    const json = JSON.stringify({ [canary]: canary, id: 0, list: [canary] }).replace(
      '"id":0',
      '"id":12345678901234567890',
    );
    const select = `select null as a, 'NULL' as b, '' as c, x'3c696d6700' as d, '${json.replaceAll("'", "''")}' as e,
      replace(hex(zeroblob(100000)), '0', 'long ') as f`;
    await using opened = await open([select]);
    const { page, problems } = opened;
    await cell(page, 'NULL, no value').waitFor();
    await cell(page, 'NULL').waitFor();
    await cell(page, 'empty text').dblclick();
    const value = page.getByRole('complementary', { name: 'Whole value' });
    await value.getByText('This text is empty.').waitFor();
    await press(page, 'ArrowRight');
    await value.getByText('00000000  3c 69 6d 67 00').waitFor();
    await press(page, 'ArrowRight');
    await value.getByText('12345678901234567890').waitFor();
    await value.getByText('1 item').click();
    await holds(page, `document.querySelectorAll('.json .text').length === 2`);
    await expectPleasant(page, 'cell-viewer');
    await page.setViewportSize({ width: 1440, height: 900 });
    await cell(page, 'NULL').click();
    await press(page, 'End');
    await value.getByText('1,000,000 characters').waitFor();
    await value.getByRole('button', { name: 'Show 100,000 more characters' }).click();
    await value.getByRole('button', { name: 'Copy the value' }).click();
    await holds(page, `navigator.clipboard.readText().then((text) => text.length === 1000000)`);
    assert.deepEqual(problems, []);
  });

  it('runs nothing that a database says: in names, cells and errors', async () => {
    const name = canary.replaceAll('"', '""');
    const commands = [`select '${quoted}' as "${name}"`, `select * from "${name}"`];
    await using opened = await open(commands);
    const { page, problems } = opened;
    await page.getByRole('alert').getByText(canary).waitFor();
    await page.getByRole('tab', { name: '1: 1 row' }).click();
    await cell(page, canary).waitFor();
    await page.getByRole('columnheader', { name: canary }).click();
    await page.getByText('Of all 1 row: sorted by').waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill(canary);
    await page.getByText('1 row contain').waitFor();
    await cell(page, canary).dblclick();
    await page.getByRole('complementary').getByText(canary).first().waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(problems, []);
  });

  it('says which rows could not be read, and reads them again; slow pages come when they come', async () => {
    await using opened = await openAt(`/query/${million}`);
    const { page } = opened;
    await cell(page, 'row 1').waitFor();
    await page.route('**/rows?*', (route) => route.abort());
    await page.getByRole('spinbutton', { name: 'Go to row' }).fill('500000');
    await press(page, 'Enter');
    await page.getByText('Rows 499,801 to 500,000 could not be read.').waitFor();
    await page.unroute('**/rows?*');
    await page.route('**/rows?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.grid-row[aria-busy]').first().waitFor();
    await cell(page, 'row 500000').waitFor();
    assert.equal(await page.getByText('could not be read').count(), 0);
  });

  it('shows a query that runs and lets the person cancel it; affected rows; several results as tabs', async () => {
    const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';
    const query = await ada.execute(
      'create table if not exists t (a)',
      'insert into t values (1), (2)',
      'select a from t',
      endless,
      'select 1',
    );
    await using opened = await openAt(`/query/${query}`);
    const { page, problems } = opened;
    await page.getByText(/^Running, \d/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^Stopped after [^.]+(\.\d)? m?s\. The statement after it did not run\.$/).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0, 'what the person chose is shown as a fault');
    await page.getByRole('tab', { name: '4: stopped' }).press('Home');
    await page.getByRole('tab', { name: '1: done', selected: true }).waitFor();
    await press(page, 'ArrowRight');
    await page.getByRole('tab', { name: '2: 2 rows changed', selected: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('downloads all rows under a name of their own, and says what the guard does', async () => {
    await using opened = await open([`select '=1+1' as formula, 2 as number`]);
    const { page, problems } = opened;
    await page.getByText('Download', { exact: true }).click();
    await page.getByText('a text that a spreadsheet would take for a formula').waitFor();
    const waiting = page.waitForEvent('download');
    await page.getByRole('link', { name: 'All rows as CSV' }).click();
    const download = await waiting;
    assert.match(download.suggestedFilename(), new RegExp(`^${ada.source.alias}-\\d{8}-\\d{6}\\.csv$`));
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    assert.equal(Buffer.concat(chunks).toString(), "formula,number\r\n'=1+1,2\r\n");
    assert.deepEqual(problems, []);
  });

  // The last one: the access is gone then.
  it('shows nothing of a result that the access no longer covers, and why', async () => {
    await using opened = await open([`select 'secret' as a`]);
    const { page } = opened;
    await cell(page, 'secret').waitFor();
    await service.ok('DELETE', `/permission/${grant.id}`);
    await page.getByText('The results are shown again as soon as you reach Billing again.').waitFor();
    assert.equal(await page.getByText('secret').count(), 0);
    await make.permission(ada.source.id, ada.person.id);
    await cell(page, 'secret').waitFor();
  });
});
