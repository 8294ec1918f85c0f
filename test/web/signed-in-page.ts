import assert from 'node:assert/strict';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { expectNoAxeViolations } from './support.ts';

/** Gives a browser the session of a person, as a sign-in would. @param url of the service, as the browser has it @param token of `signedIn` */
export async function giveSession(context: BrowserContext, url: string, token: string): Promise<void> {
  await context.addCookies([{ name: 'rolecall', value: token, url, httpOnly: true, sameSite: 'Lax' }]);
}

/** What a page reports: an error, a refused script, a request to another host. It is filled while the page works. */
export function watchProblems(page: Page, url: string): readonly string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (line) => {
    if (line.type() === 'error' && !line.text().includes('status of')) problems.push(line.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('blob:')) problems.push(request.url());
  });
  return problems;
}

/** Fails unless a view has nothing that axe finds in either theme, and needs no scrolling sideways in 320 pixels: 1280 at 400 %. */
export async function expectPleasant(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of [320, 390, 820, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await picture(page, `${name}-${width}-${colorScheme}`);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than ${width}`);
    }
    await expectNoAxeViolations(page);
  }
  const moving = await page.evaluate<number>('document.getAnimations().length');
  assert.equal(moving, 0, 'something moves for a person who asked for reduced motion');
}

/** Keeps a picture of the page for those who look at them: in the folder that ROLECALL_TEST_PICTURES names. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['ROLECALL_TEST_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}
