/** Over the embedded store only: connecting with a client of one's own, by what the page shows. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { storeGatewaySessions } from '../server/support/gateway-session.ts';
import { makers } from '../server/support/make.ts';
import { signedIn } from '../server/support/person.ts';
import { startTestService } from '../server/support/service.ts';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { requires } from '../support/databases/parts.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import { freePort } from '../support/free-port.ts';
import { expectPleasant, giveSession, watchProblems } from './signed-in-page.ts';
import { buildPage } from './support.ts';

buildPage();
const port = await freePort();
const adminRole = 'administrators';
const service = await startTestService({
  ...{ adminRole, port, publicUrl: `http://127.0.0.1:${port}` },
  gatewayPostgresql: { host: '127.0.0.1', port: 0 },
});
const make = makers(service);
const skipped = browserOptions.skip === false ? requires('postgresql', 'psql') : browserOptions;
const database = skipped.skip === false ? await startPostgres() : undefined;
after(() => database?.stop());

/** Runs if a page takes text for HTML. */
const canary = '<img src=x onerror=alert(1)>';

async function pageOf(browser: Browser, person: string): Promise<{ page: Page; problems: readonly string[] }> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  await giveSession(context, service.url, (await signedIn(service, person)).token);
  const page = await context.newPage();
  const problems = watchProblems(page, service.url);
  await page.goto(service.url);
  return { page, problems };
}

describe('connecting with a client of one’s own, in a browser', skipped, () => {
  it('gives a password and what a client needs, with which psql connects; shows what is open and ends it', async () => {
    await using launched = await launchBrowser();
    const person = await make.person({ name: `Ada ${canary}` });
    const source = await make.dataSource({ name: `Shop ${canary}`, configUri: database?.uri ?? '' });
    const plain = await make.dataSource({ configUri: 'mysql://u:p@127.0.0.1:1/x' });
    for (const { id } of [source, plain]) await make.permission(id, person.id);
    const { page, problems } = await pageOf(launched.browser, person.id);
    await page.getByRole('link', { name: `Connect to Shop ${canary}` }).click();
    await page.getByRole('heading', { name: `Connect to Shop ${canary}` }).waitFor();
    await page.getByText('You have no open connection').waitFor();
    await page.getByLabel('It opens connections for').selectOption('4 hours');
    await page.getByRole('button', { name: 'Make a password' }).click();
    const shown = async (name: string): Promise<string> => {
      await page.getByRole('button', { name: `Copy ${name}`, exact: true }).click();
      await page.getByText(`${name} is copied.`).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    const [command, uri, password] = [await shown('Command'), await shown('URI'), await shown('Password')];
    await expectPleasant(page, 'connect');
    assert.ok(!command.includes(password), 'lists of processes show commands');
    const env = { PATH: process.env['PATH'] ?? '', PGPASSWORD: password };
    const psql = await promisify(execFile)('sh', ['-c', `${command} -XAtc 'select 6 * 7'`], { env });
    assert.equal(psql.stdout, '42\n');
    const client = new pg.Client({ connectionString: uri, application_name: `psql ${canary}` });
    const failed = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    const line = page.getByRole('listitem').filter({ hasText: `psql ${canary}` });
    await line.getByText('from 127.0.0.1, since').waitFor();
    await expectPleasant(page, 'connections');
    await line.getByRole('button', { name: 'End' }).click();
    assert.match((await failed).message, /you ended this session/);
    await line.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Done' }).click();
    assert.equal(await page.getByText(password).count(), 0);
    await page.goto(service.url);
    await page.getByRole('button', { name: `Open Shop ${canary}` }).click();
    await page.getByRole('heading', { name: `Shop ${canary}`, exact: true }).waitFor();
    await page.getByRole('link', { name: `Connect to Shop ${canary}` }).waitFor();
    await expectPleasant(page, 'editor-connect');
    await page.goto(`${service.url}/account`);
    await page.getByRole('listitem').filter({ hasText: 'Password' }).getByRole('button', { name: 'End' }).click();
    await page.getByText('You have no open connection').waitFor();
    await assert.rejects(new pg.Client({ connectionString: uri }).connect(), /password/);
    assert.deepEqual(problems, []);
  });

  it('shows administrators who is connected, and ends a connection', async () => {
    await using launched = await launchBrowser();
    const [admin, person] = [await make.person(), await make.person({ name: `Grace ${canary}` })];
    const role = await make.role(adminRole);
    await service.ok('PUT', `/role/${role.id}/person/${admin.id}`);
    const source = await make.dataSource();
    await storeGatewaySessions(service, { person: person.id, dataSource: source.id, leaseMs: 600_000 });
    const { page, problems } = await pageOf(launched.browser, admin.id);
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('link', { name: 'Who is connected' }).click();
    const line = page.getByRole('listitem').filter({ hasText: `Grace ${canary}` });
    await line.getByText('psql from 192.0.2.7, since').waitFor();
    await expectPleasant(page, 'admin-connections');
    await line.getByRole('button', { name: 'End' }).click();
    await line.getByRole('group').getByRole('button', { name: 'End' }).click();
    await page.getByText('No one is connected').waitFor();
    assert.deepEqual(problems, []);
  });
});
