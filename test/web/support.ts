import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Builds the page from its present source, as `npm ci` and `npm run build:web` do. `npm test` builds it once, before all tests:
 * a service that starts while another test builds would serve half a page.
 */
export function buildPage(): void {
  if (process.env['ROLECALL_TEST_PAGE'] === 'built') return;
  execFileSync(process.execPath, ['--conditions=source', 'tools/build-web.ts'], { cwd: root, stdio: 'inherit' });
}

/**
 * Fails on what axe finds on the page as it is shown: WCAG 2.2 A and AA, and its best practices.
 *
 * @param page shown with the theme to check: `page.emulateMedia({ colorScheme: 'dark' })`
 */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  // The page's policy lets no script in. The browser's own evaluation stands outside of it.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html }) => `  ${html}`).join('\n')}`,
  );
  assert.deepEqual(found, []);
}
