import { DatabaseSync } from 'node:sqlite';
import type { Browser, Page } from 'playwright-core';
import { percentile, round } from '../report/report.ts';
import type { Person } from './person.ts';

const tables = 10_000;
const columns = 20;
const keys = 100;

/** Makes a file of SQLite with as many tables as a large database has. */
export function makeTables(file: string): void {
  const list = Array.from({ length: columns }, (_none, index) => `column_${index + 1} text`).join(', ');
  using database = new DatabaseSync(file);
  database.exec('begin');
  for (let index = 1; index <= tables; index += 1) database.exec(`create table ${nameOf(index)} (${list})`);
  database.exec('commit');
}

const nameOf = (index: number) => `table_${String(index).padStart(5, '0')}`;

/** Types in an editor on these tables: the first letter of a table, and the dot before the columns of one that was just named. */
export async function measureCompletion(
  browser: Browser,
  url: string,
  person: Person,
): Promise<Record<string, number>> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await person.signIn(context);
  const page = await context.newPage();
  await page.goto(`${url}/editor/${person.editor}`);
  await page.getByRole('treeitem').first().waitFor();
  await page.evaluate(watchList);
  const times: number[] = [];
  // The first key loads the code of the completion.
  await listAfter(page, 'select * from ', 't', 'table_');
  for (let key = 0; key < keys; key += 1) {
    times.push(await listAfter(page, 'select * from ', 't', 'table_'));
    const named = nameOf(1 + Math.floor((key * tables) / keys));
    times.push(await listAfter(page, `select * from ${named} as x where x`, '.', 'column_1'));
  }
  await context.close();
  return {
    completionP50Ms: round(percentile(times, 0.5), 1),
    completionP99Ms: round(percentile(times, 0.99), 1),
  };
}

/** @returns milliseconds from the key to the frame that shows a list with such a name */
async function listAfter(page: Page, before: string, key: string, wanted: string): Promise<number> {
  await page.getByRole('textbox', { name: 'SQL' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(before);
  await page.waitForTimeout(250);
  await page.evaluate(`listWanted = ${JSON.stringify(wanted)}`);
  await page.keyboard.press(key);
  return page.evaluate<number>('listTime');
}

/** Takes the time of the next key, as the browser has it, and then looks at each frame. A task that follows a frame finds it painted. */
const watchList = `(() => {
  const root = document.querySelector('.code-pane').shadowRoot;
  const isShown = () => [...root.querySelectorAll('[role=option]')].some((one) => one.textContent.startsWith(listWanted));
  globalThis.listWanted = '';
  document.addEventListener('keydown', ({ timeStamp }) => {
    globalThis.listTime = new Promise((resolve, reject) => {
      const look = () => {
        if (performance.now() - timeStamp > 20000) reject(new Error('no list with ' + listWanted + ' appeared'));
        else if (!isShown()) requestAnimationFrame(look);
        else setTimeout(() => resolve(performance.now() - timeStamp));
      };
      requestAnimationFrame(look);
    });
  }, true);
})()`;
