/** `npm run pictures`: takes the pictures of the documentation, with fixed data and a fixed clock. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderHtml } from '../../cli/commands/report/html.ts';
import { toReportData } from '../../cli/commands/report/page-data.ts';
import { moment, organisation } from '../../test/cli/commands/report/organisation.ts';
import { launchBrowser } from '../../test/support/browser.ts';

const folder = path.resolve(import.meta.dirname, '../../docs/images');

const pictures = [
  { name: 'access-light', width: 1280, height: 1000, colorScheme: 'light', hash: '' },
  { name: 'access-dark', width: 1280, height: 1000, colorScheme: 'dark', hash: '' },
  { name: 'access-phone', width: 390, height: 844, colorScheme: 'light', hash: '' },
] as const;

const workspace = 'https://workspace.example.com';
const temporary = mkdtempSync(path.join(tmpdir(), 'rolecall-pictures-'));
try {
  const file = path.join(temporary, 'report.html');
  writeFileSync(file, renderHtml(toReportData(organisation, { workspace, readAt: moment, at: moment })));
  mkdirSync(folder, { recursive: true });
  await using launched = await launchBrowser();
  for (const { name, width, height, colorScheme, hash } of pictures) {
    const page = await launched.browser.newPage({ viewport: { width, height }, colorScheme, locale: 'en-GB' });
    await page.goto(pathToFileURL(file).href + hash);
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
    await page.close();
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
