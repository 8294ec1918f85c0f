/** The tutorial, played through: its commands as they stand, its page in a browser, its psql in a terminal. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { requires } from '../support/databases/parts.ts';
import { freePort } from '../support/free-port.ts';
import { buildPage } from '../web/support.ts';
import { blockOf, startTrial } from './ways.ts';

const page = 'docs/tutorial.md';
const skipped = browserOptions.skip === false ? requires('postgresql', 'psql') : browserOptions;

describe('the tutorial', skipped, () => {
  it('leads from nothing to a grant that ends in the browser and in psql', async () => {
    buildPage();
    // A reader has three minutes; the browser and this terminal are quicker.
    const changes = { ':6432': `:${await freePort()}`, 's/8h/3m/': 's/8h/30s/' };
    await using trial = await startTrial({ page, changes, home: 'home' });
    await using launched = await launchBrowser();
    await trial.start('database', /declares it as a data source/);
    await trial.start('service', /The workspace is at/);
    assert.match(await trial.run('key', 'grant'), /ada gains shop until[\s\S]*Applied: 3 calls/);

    const [link = ''] = /http\S+\/enrol#\S+/.exec(await trial.run('key', 'invite')) ?? [];
    const context = await launched.browser.newContext();
    const ada = await context.newPage();
    await ada.goto(link);
    await ada.getByLabel('Password', { exact: true }).fill('three long words');
    await ada.getByLabel('Password again').fill('three long words');
    await ada.getByRole('button', { name: 'Set up' }).click();
    await ada.getByRole('button', { name: 'Open Shop' }).click();
    const write = async (statement: string): Promise<void> => {
      await ada.locator('.cm-content').click();
      await ada.keyboard.press('Control+a');
      await ada.keyboard.insertText(statement);
      await ada.getByRole('button', { name: 'Run', exact: true }).click();
    };
    await ada.getByText('customer', { exact: true }).waitFor();
    await write('select city, count(*) from "order" join customer on customer.id = customer_id group by city');
    await ada.getByText('Lisbon').waitFor();
    await ada.getByText(/h \d+ min left/).waitFor();

    // The session of the command line is there before the time runs.
    const psql = await trial.startInTerminal(['key', 'connect'], /enter the code|Confirm the code/);
    const [, place = '', code = ''] = await psql.prints(/Open (\S+) in any browser, and enter the code (\S+)\./);
    const confirm = await context.newPage();
    await confirm.goto(place);
    await confirm.getByLabel('Code that the command line shows').fill(code);
    await confirm.getByRole('button', { name: 'Go on' }).click();
    await confirm.getByRole('button', { name: 'Confirm' }).click();
    await confirm.getByText('Go back to the command line').waitFor();
    await psql.prints(/=>/);

    assert.match(await trial.run('key', 'shorten'), /ada reaches shop until \S+ instead of until/);
    await ada.getByText(/\d+ s left/).waitFor();
    const sleep = blockOf('sleep', page);
    psql.type(sleep);
    await write(sleep);
    await Promise.all([
      psql.prints(/FATAL: +.*access.*ended/),
      ada
        .getByText(/[Aa]ccess.*ended/)
        .first()
        .waitFor(),
    ]);
    const trail = await trial.run('key', 'audit');
    assert.match(trail, /pg_sleep/);
  });
});
