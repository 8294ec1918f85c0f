import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AccessFacts, DesiredObject } from '@rolecall/reconcile';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { renderHtml } from '../../../../cli/commands/report/html.ts';
import { toReportData } from '../../../../cli/commands/report/page-data.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { moment } from './organisation.ts';

export interface OpenReport extends AsyncDisposable {
  readonly page: Page;
  /** Everything that the page asked for but itself, and everything that it complained of. */
  readonly faults: string[];
}

/** Opens the page of a report from a file, like someone who got it by mail. */
export async function openReport(
  browser: Browser,
  facts: AccessFacts,
  options: BrowserContextOptions & { hash?: string; declared?: readonly DesiredObject[] } = {},
): Promise<OpenReport> {
  const { hash = '', declared = [], ...contextOptions } = options;
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'report.html');
  const workspace = 'https://workspace.example.com';
  writeFileSync(file, renderHtml(toReportData(facts, { workspace, readAt: moment, at: moment }, declared)));
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...contextOptions });
  const page = await context.newPage();
  const faults: string[] = [];
  const own = pathToFileURL(file).href;
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !url.startsWith('data:')) faults.push(`asked for ${url}`);
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  await page.goto(own + hash);
  return {
    page,
    faults,
    [Symbol.asyncDispose]: async () => {
      await context.close();
      folder[Symbol.dispose]();
    },
  };
}
