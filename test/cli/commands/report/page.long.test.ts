import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import type { AccessFacts } from '@rolecall/reconcile';
import type { Browser, Page } from 'playwright-core';
import { browserOptions, launchBrowser } from '../../../support/browser.ts';
import { openReport } from './open-report.ts';
import { organisation } from './organisation.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

describe('the page of an access report', browserOptions, () => {
  let launched: Awaited<ReturnType<typeof launchBrowser>>;
  let browser: Browser;
  before(async () => {
    launched = await launchBrowser();
    ({ browser } = launched);
  });
  after(() => launched[Symbol.asyncDispose]());

  for (const [name, viewport] of [
    ['desktop', desktop],
    ['phone', phone],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`is drawn without a fault on a ${name} in ${colorScheme} colours`, async () => {
        await using report = await openReport(browser, organisation, { viewport, colorScheme });
        const { page } = report;
        assert.equal(await page.locator('.group').count(), 19);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(overflow) <= 0, 'the page is wider than the window');
        assert.deepEqual(await accessibilityFaults(page), []);
        const picture = await page.screenshot();
        assert.ok(picture.length > 20_000, 'hardly anything was drawn');
        assert.deepEqual(report.faults, []);
      });
    }
  }

  it('draws grants to scale', async () => {
    await using report = await openReport(browser, organisation, { hash: '#person=ben&span=90' });
    const [track, bar, now] = await Promise.all([
      report.page.locator('.track').first().boundingBox(),
      report.page.locator('.track .bar').first().boundingBox(),
      report.page.locator('#axis .now').boundingBox(),
    ]);
    assert.ok(track !== null && bar !== null && now !== null);
    // 90 days, a quarter of them past; the permission ends six days from now.
    assert.ok(Math.abs((now.x + now.width / 2 - track.x) / track.width - 0.25) < 0.005);
    assert.ok(Math.abs((bar.x + bar.width - track.x) / track.width - (0.25 + 6 / 90)) < 0.005);
  });

  it('tells past, active, upcoming, open and locked apart', async () => {
    await using report = await openReport(browser, organisation);
    const { page } = report;
    assert.deepEqual(
      await page
        .locator('.group', { hasText: 'Chidi Eze' })
        .locator('.lane')
        .first()
        .locator('.bar')
        .evaluateAll((bars) => bars.map((bar) => (bar as { className?: string }).className)),
      ['bar ended', 'bar active', 'bar upcoming', 'bar upcoming'],
    );
    assert.ok((await page.locator('.group', { hasText: 'Dawid' }).locator('.bar.locked.open').count()) > 0);
    assert.equal(
      await page.locator('.group', { hasText: 'Grace Hopper' }).locator('.count').textContent(),
      'reaches nothing',
    );
  });

  it('finds people by what they reach and how', async () => {
    await using report = await openReport(browser, organisation);
    const { page } = report;
    await page.locator('#search').fill('billing finance');
    assert.deepEqual(await page.locator('.title').allTextContents(), ['Helena Costa', 'Noor Rahman', 'Olga Petrova']);
    assert.equal(await page.locator('#status').textContent(), '3 of 19 people');
    await page.locator('#search').fill('nobody at all');
    assert.ok(await page.locator('#nothing').isVisible());
  });

  it('filters by person, data source, role and state, and keeps that in the address', async () => {
    await using report = await openReport(browser, organisation);
    const { page } = report;
    await page.locator('#data-source').selectOption('billing');
    await page.locator('#state').selectOption('upcoming');
    assert.deepEqual(await page.locator('.title').allTextContents(), ['Mara Lindqvist', 'Ruth Adler', 'Samuel Okafor']);
    assert.match(page.url(), /#data-source=billing&state=upcoming$/);
    await page.locator('#reset').click();
    await page.locator('#role').selectOption('support-agents');
    assert.equal(await page.locator('.group').count(), 4);
    await page.locator('#person').fill('liam');
    assert.deepEqual(await page.locator('.title').allTextContents(), ['Liam Byrne']);
    await page.locator('#reset').click();
    await page.locator('[data-state="ending"]').click();
    assert.deepEqual(await page.locator('.title').allTextContents(), ['Ben Kowalski', 'Chidi Eze', 'Liam Byrne']);
  });

  it('answers for another moment', async () => {
    await using report = await openReport(browser, organisation, { hash: '#person=mara&state=active' });
    const { page } = report;
    assert.equal(await page.locator('.lane').count(), 2);
    await page.locator('#moment').fill('2026-12-10T12:00');
    assert.deepEqual(await page.locator('.target').allTextContents(), ['billing', 'postcodes', 'shipping']);
    await page.locator('#now').click();
    assert.equal(await page.locator('.lane').count(), 2);
  });

  it('says who reaches a data source', async () => {
    await using report = await openReport(browser, organisation, {
      hash: '#by=data-source&data-source=warehouse&state=active',
    });
    assert.deepEqual(await report.page.locator('.target').allTextContents(), [
      'Aiko Tanaka',
      'Noor Rahman',
      'Priya Nair',
      'Samuel Okafor',
      'Wei Zhang',
    ]);
  });

  it('is used by keyboard alone', async () => {
    await using report = await openReport(browser, organisation);
    const { page } = report;
    const focused = () =>
      page.evaluate('document.activeElement.id || document.activeElement.className || document.activeElement.name');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'skip');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'theme');
    assert.notEqual(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none');
    await page.keyboard.press('/');
    assert.equal(await focused(), 'search');
    await page.keyboard.type('billing');
    assert.ok((await page.locator('.group').count()) < 19);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.group').count(), 19);
    const stops = await tabStops(page);
    assert.deepEqual(stops, [
      'person',
      'data-source',
      'role',
      'state',
      'moment',
      'now',
      'by',
      'view',
      'sort',
      'csv',
      'earlier',
      'span',
      'later',
      'pick',
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'CEChidi Eze');
    await page.keyboard.press('Enter');
    assert.deepEqual(await page.locator('.title').allTextContents(), ['Chidi Eze']);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.group').count(), 19);
  });

  it('turns dark and light, and back', async () => {
    await using report = await openReport(browser, organisation, { colorScheme: 'light' });
    const { page } = report;
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Switch to dark colours' }).click();
    assert.notEqual(await ground(), light);
    await page.getByRole('button', { name: 'Switch to light colours' }).click();
    assert.equal(await ground(), light);
  });

  it('shows names as text, whatever stands in them', async () => {
    const evil = '</script><img src=x onerror="document.title=\'owned\'"><!--$&{{script}}';
    const facts: AccessFacts = {
      people: [{ key: 'p', username: evil, name: evil, isLocked: false }],
      dataSources: [{ key: 'd', alias: evil, name: evil }],
      roles: [{ key: 'r', name: evil, people: [{ key: 'p' }], dataSources: [{ key: 'd' }] }],
      permissions: [],
    };
    await using report = await openReport(browser, facts);
    assert.equal(await report.page.locator('.title').textContent(), evil);
    assert.equal(await report.page.title(), 'Who reaches what in https://workspace.example.com');
    assert.equal(await report.page.locator('img').count(), 0);
    assert.deepEqual(report.faults, []);
  });

  it('draws a page of 5,000 people at a time, and finds among all of them', async () => {
    await using report = await openReport(browser, manyPeople(5000));
    const { page } = report;
    assert.equal(await page.locator('#status').textContent(), '5,000 people');
    assert.equal(await page.locator('.group').count(), 30);
    await page.locator('#more').click();
    assert.equal(await page.locator('.group').count(), 60);
    await page.locator('#search').fill('person-4321');
    assert.deepEqual(await page.locator('.title').allTextContents(), ['Person 4321']);
    await page.locator('#search').fill('');
    await page.locator('label', { hasText: 'Data sources' }).first().click();
    assert.ok((await page.locator('.lane').count()) <= 30 * 20);
    assert.deepEqual(report.faults, []);
  });

  it('prints everything, whatever of it was drawn', async () => {
    const facts = manyPeople(120);
    await using all = await openReport(browser, facts);
    await all.page.locator('#show-all').click();
    const everything = await all.page.locator('.lane').count();
    for (const hash of ['', '#view=folded', '#view=table']) {
      await using report = await openReport(browser, facts, { hash });
      const { page } = report;
      const countPrinted = `addEventListener('beforeprint', () => {
        window.printed = [...document.querySelectorAll('.lane, .rows tbody tr')].length;
      })`;
      await page.evaluate(countPrinted);
      const drawn = Number(await page.evaluate(`document.querySelectorAll('.lane, .rows tbody tr').length`));
      await page.pdf();
      const printed = Number(await page.evaluate('window.printed'));
      assert.equal(printed, everything, hash);
      assert.ok(drawn < printed);
      assert.equal(await page.evaluate(`document.querySelectorAll('.lane, .rows tbody tr').length`), drawn);
      assert.deepEqual(report.faults, []);
    }
  });

  it('is read to its end in two clicks', async () => {
    for (const [hash, entry] of [
      ['', '.group'],
      ['#view=folded', '.group'],
    ] as const) {
      await using report = await openReport(browser, manyPeople(2000), { hash });
      const { page } = report;
      await page.locator('#show-all').click();
      assert.equal(await page.locator(entry).count(), 2000);
      assert.equal(await page.locator('#more').isVisible(), false);
    }
  });

  it('shows a table that sorts by its columns, with reasons and files where definitions have them', async () => {
    const declared = [
      {
        ...common,
        kind: 'Role' as const,
        name: 'data-analysts',
        role: 'data-analysts',
        owner: 'finance',
        place: 'access/roles.yaml:3',
      },
      ...organisation.permissions.slice(0, 1).map((permission) => ({
        ...common,
        kind: 'Permission' as const,
        name: 'one',
        person: usernameOf(permission.person),
        dataSource: aliasOf(permission.dataSource),
        startsAt: permission.startsAt,
        expiresAt: permission.expiresAt,
        ended: false,
        reason: 'INC-4711',
        place: 'access/incidents.yaml:9',
      })),
    ];
    await using report = await openReport(browser, organisation, { hash: '#view=table', declared });
    const { page } = report;
    assert.deepEqual(await accessibilityFaults(page), []);
    const headings = await page.locator('.rows th').allTextContents();
    assert.deepEqual(headings.slice(-3), ['Reason', 'Owner', 'Declared in']);
    const reasons = await page.locator('.rows tr', { hasText: 'INC-4711' }).allTextContents();
    assert.equal(reasons.length, 1);
    assert.match(reasons[0] ?? '', /access\/incidents\.yaml:9/);
    assert.ok((await page.locator('.rows tr', { hasText: 'access/roles.yaml:3' }).count()) > 0);
    const column = async (number: number): Promise<string[]> =>
      page.locator(`.rows tbody td:nth-child(${number})`).allTextContents();
    await page.locator('.sort', { hasText: 'Data source' }).click();
    assert.deepEqual(await column(2), (await column(2)).toSorted());
    await page.locator('.sort', { hasText: 'Data source' }).click();
    assert.deepEqual(await column(2), (await column(2)).toSorted().reverse());
    assert.equal(await page.locator('th[aria-sort=descending]').count(), 1);
  });

  it('gives what is filtered as CSV, without a formula in it', async () => {
    const facts = {
      ...organisation,
      people: organisation.people.map((person) => ({ ...person, name: `=1+${person.name}` })),
    };
    await using report = await openReport(browser, facts, { hash: '#data-source=billing', acceptDownloads: true });
    const [download] = await Promise.all([report.page.waitForEvent('download'), report.page.locator('#csv').click()]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.equal(download.suggestedFilename(), 'access.csv');
    assert.equal(lines[0], 'person,name,data source,role,state,from,until,reason,owner,declared');
    assert.ok(lines.length > 3);
    for (const line of lines.slice(1)) assert.match(line, /^\w+,'=1\+[^,]+,billing,/);
    assert.deepEqual(report.faults, []);
  });

  it('sorts people by what they reach and by what ends next', async () => {
    await using report = await openReport(browser, organisation, { hash: '#sort=most' });
    const { page } = report;
    const counts = (await page.locator('.count').allTextContents()).map((text) => Number(/\d+/.exec(text)?.[0] ?? 0));
    assert.equal(counts[0], Math.max(...counts));
    await page.locator('#sort').selectOption('end');
    assert.match(page.url(), /sort=end/);
    assert.match((await page.locator('.period').first().textContent()) ?? '', /^(in|until) /);
  });
});

const common = { observeOnly: false, paused: false, protected: false };
const usernameOf = (key: string): string => organisation.people.find((person) => person.key === key)?.username ?? '';
const aliasOf = (key: string): string => organisation.dataSources.find((source) => source.key === key)?.alias ?? '';

interface Violations {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** What a check of the page's semantics, names and contrasts complains of. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  // Through the debugger, which the page's policy does not keep out.
  await page.evaluate(axe);
  const found = await page.evaluate<Violations>('axe.run({ resultTypes: ["violations"] })');
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 2).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}

/** Where the tab key stops, from where it is to the list. */
async function tabStops(page: Page): Promise<unknown[]> {
  const stops: unknown[] = [];
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(
      'document.activeElement.id || document.activeElement.name || document.activeElement.className',
    );
    // A field of a date is several stops.
    if (stop !== stops.at(-1)) stops.push(stop);
    if (stop === 'pick') return stops;
  }
  return stops;
}

function manyPeople(count: number): AccessFacts {
  const keys = Array.from({ length: count }, (_, index) => `person-${index}`);
  const dataSources = Array.from({ length: 40 }, (_, index) => `source-${index}`);
  return {
    people: keys.map((key, index) => ({ key, username: key, name: `Person ${index}`, isLocked: index % 100 === 0 })),
    dataSources: dataSources.map((key) => ({ key, alias: key, name: key })),
    roles: Array.from({ length: 200 }, (_, role) => ({
      key: `role-${role}`,
      name: `role-${role}`,
      people: keys.filter((_, index) => index % 200 === role || index % 97 === role).map((key) => ({ key })),
      dataSources: dataSources.filter((_, index) => index % 20 === role % 20).map((key) => ({ key })),
    })),
    permissions: keys.map((person, index) => ({
      key: String(index + 1),
      person,
      dataSource: dataSources[index % 40] ?? '',
      startsAt: '2026-11-01T00:00:00.000Z',
      expiresAt: `2026-12-${String((index % 28) + 1).padStart(2, '0')}T00:00:00.000Z`,
    })),
  };
}
