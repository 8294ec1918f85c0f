import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { round } from '../report/report.ts';
import type { Person } from './person.ts';

const assets = path.join(import.meta.dirname, '../../web/dist/assets');

/** KiB of scripts and styles, gzip, that each view loads in a browser which knows none of them. */
export async function measureCode(browser: Browser, url: string, person: Person): Promise<Record<string, number>> {
  const every = readdirSync(assets).filter((name) => !name.endsWith('.br'));
  return {
    signInKiB: kib(await loadedBy(browser, `${url}/`)),
    shellKiB: kib(await loadedBy(browser, `${url}/`, person)),
    editorKiB: kib(await loadedBy(browser, `${url}/editor/${person.editor}`, person)),
    editorUsedKiB: kib(await loadedBy(browser, `${url}/editor/${person.editor}`, person, typeAndRun)),
    allKiB: kib(every),
  };
}

async function typeAndRun(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'SQL' }).click();
  await page.keyboard.type('select 1');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('gridcell').first().waitFor();
}

async function loadedBy(
  browser: Browser,
  address: string,
  person?: Person,
  use?: (page: Page) => Promise<void>,
): Promise<string[]> {
  const context = await browser.newContext();
  await person?.signIn(context);
  const page = await context.newPage();
  const names = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/assets/')) names.add(path.basename(pathname));
  });
  await page.goto(address);
  await page.locator('h1, [role=tab], .cm-editor').first().waitFor();
  await use?.(page);
  // The code that the view loads after it appears.
  await page.waitForTimeout(1000);
  await context.close();
  return [...names];
}

function kib(names: readonly string[]): number {
  const sizes = names.map((name) => gzipSync(readFileSync(path.join(assets, name)), { level: 9 }).length);
  return round(sizes.reduce((sum, size) => sum + size, 0) / 1024, 1);
}
