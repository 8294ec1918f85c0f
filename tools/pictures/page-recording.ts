/** Part of `npm run recording`: draws docs/images/page.svg from a real browser at a real service, as access to a database ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@rolecall/api';
import { createKey, startService } from '@rolecall/server';
import { openWorkspace } from '../../cli/commands/demo/workspace.ts';
import { launchBrowser } from '../../test/support/browser.ts';
import { escapeXml, showInTurn } from './animated-svg.ts';

const file = path.resolve(import.meta.dirname, '../../docs/images/page.svg');
const title = 'A person opens a data source, queries it, and is told when access ends, while a query runs';
const query = `select city, count(*) as orders
from "order" join customer on customer.id = customer_id
group by city order by orders desc`;
const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n';
/** How long the access lasts that the recording sees end. */
const accessSeconds = 40;
const [width, height] = [1100, 688];

const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-recording-'));
const dataDir = path.join(folder, 'data');
const service = await startService({ dataDir, sqliteFolders: [folder], environment: {} });
try {
  const { id, secret } = await createKey({ dataDir, environment: {}, scope: 'admin' });
  const client = createClient({ url: service.url, keyId: id, keySecret: secret });
  await client.call('createPerson', { body: { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' } });
  await using workspace = await openWorkspace({ client, url: service.url, folder }).then(({ link }) => link);
  const [long] = await client.call('listPermissions', {});
  if (long === undefined) throw new Error('the workspace has no permission');
  const pair = { person: long.person.id, dataSource: long.dataSource.id };
  await client.call('createPermission', { params: pair, body: { duration: accessSeconds } });
  await client.call('deletePermission', { params: { permission: long.id } });
  writeFileSync(file, draw(await record(workspace.url)));
  await client.close();
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}

interface Frame {
  readonly png: Buffer;
  readonly seconds: number;
}

/** Works on the page as a person would. @returns what was seen */
async function record(address: string): Promise<Frame[]> {
  await using launched = await launchBrowser();
  const page = await launched.browser.newPage({ viewport: { width, height }, colorScheme: 'light', locale: 'en-GB' });
  const frames: Frame[] = [];
  const look = async (seconds: number): Promise<void> => {
    frames.push({ png: await page.screenshot(), seconds });
  };
  await page.goto(address);
  const open = page.getByRole('listitem').filter({ hasText: 'demo-shop' }).getByRole('button');
  await open.waitFor();
  await look(3);
  await open.click();
  await page.getByText('customer', { exact: true }).waitFor();
  await page.locator('.cm-content').click();
  await page.keyboard.type('select city, count(*) as orders from cus', { delay: 20 });
  await page.locator('.cm-tooltip-autocomplete').waitFor();
  await look(2.5);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(query);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Lisbon').waitFor();
  await look(4);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(endless);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Cancel' }).waitFor();
  await page.waitForTimeout(3000);
  await look(3);
  await page
    .getByText(/access to .* ended/)
    .first()
    .waitFor({ timeout: accessSeconds * 1000 });
  await page.waitForTimeout(500);
  await look(6);
  return frames;
}

function draw(frames: readonly Frame[]): string {
  const images = frames.map(
    ({ png }, index) =>
      `<image class="s${index}" width="${width}" height="${height}" href="data:image/png;base64,${png.toString('base64')}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<style>${showInTurn(frames.map(({ seconds }) => seconds))}</style>
${images.join('\n')}
</svg>
`;
}
