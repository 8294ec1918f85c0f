/** Over the embedded store only: the editor on the databases that have a server, in a real browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { inEditor } from '../server/person-api/in-editor.ts';
import { makers } from '../server/support/make.ts';
import { startTestService } from '../server/support/service.ts';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { startMariadb } from '../support/databases/mariadb.ts';
import { requires } from '../support/databases/parts.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import { freePort } from '../support/free-port.ts';
import { giveSession, watchProblems } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
const service = await startTestService({ port, publicUrl: `http://127.0.0.1:${port}` });

interface Server {
  readonly uri: string;
  readonly stop: () => Promise<unknown>;
}

/** Opens an editor on a database, works in it, and ends the database. */
async function inBrowser(server: Server, work: (page: Page) => Promise<void>): Promise<void> {
  try {
    const ada = await inEditor(service, server.uri);
    await makers(service).permission(ada.source.id, ada.person.id);
    await using launched = await launchBrowser();
    const context = await launched.browser.newContext({ viewport: { width: 1280, height: 800 } });
    await giveSession(context, service.url, ada.session.token);
    const page = await context.newPage();
    const problems = watchProblems(page, service.url);
    await page.goto(`${service.url}/editor/${ada.editor}`);
    await work(page);
    assert.deepEqual(problems, []);
  } finally {
    await server.stop();
  }
}

async function type(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'SQL' }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

async function expectFault(page: Page, text: string, message: RegExp, marked: string): Promise<void> {
  await type(page, text);
  await page.keyboard.press('Control+Shift+Enter');
  await page.getByRole('alert').getByText(message).waitFor();
  await page.locator('.cm-fault').waitFor();
  assert.equal(await page.locator('.cm-fault').innerText(), marked);
}

describe('the editor on a database with a server', browserOptions, () => {
  it('marks errors, shows plans and binds variables on PostgreSQL', requires('postgresql'), async () => {
    await inBrowser(await startPostgres(), async (page) => {
      await expectFault(page, "select '🦄';\nselect nmae from pg_class", /column "nmae" does not exist/, 'nmae');
      await type(page, 'select relname from pg_class where relname = $1');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('form', { name: 'Variables' }).getByLabel('$1', { exact: true }).fill('pg_type');
      await page.keyboard.press('Enter');
      await page.getByRole('gridcell', { name: 'pg_type' }).waitFor();
      await page.getByRole('button', { name: 'Explain' }).click();
      await page
        .getByRole('region', { name: 'Plan' })
        .getByText(/Scan using .* on pg_class/)
        .waitFor();
    });
  });

  it('marks errors, shows plans and binds variables on MariaDB', requires('mariadb'), async () => {
    await inBrowser(await startMariadb(), async (page) => {
      await expectFault(page, 'select 1;\nselect * form dual', /error in your SQL syntax/, 'form');
      await type(page, 'select seq from seq_1_to_9 where seq = ?');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('form', { name: 'Variables' }).getByLabel('? 1', { exact: true }).fill('7');
      await page.keyboard.press('Enter');
      await page.getByRole('gridcell', { name: '7', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Explain' }).click();
      await page
        .getByRole('region', { name: 'Plan' })
        .getByText(/seq_1_to_9/)
        .first()
        .waitFor();
    });
  });
});
