/** `npm run pictures`: takes the README's picture of the page in both themes, from the demonstration. */
import path from 'node:path';
import { startCommand } from '../../test/cli/support/run-command.ts';
import { launchBrowser } from '../../test/support/browser.ts';

const images = path.resolve(import.meta.dirname, '../../docs/images');
const query = `select city, count(*) as orders, sum(quantity * price_cents) / 100.0 as revenue
from "order"
join customer on customer.id = customer_id
join product on product.id = product_id
group by city
order by revenue desc`;

const demonstration = startCommand(['demo', '--open']);
try {
  const address = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}/;
  const link = address.exec(await demonstration.prints(new RegExp(`${address.source}\\n`)))?.[0] ?? '';
  await using launched = await launchBrowser();
  const viewport = { width: 1280, height: 800 };
  const page = await launched.browser.newPage({ viewport, locale: 'en-GB' });
  await page.goto(link);
  await page.getByRole('listitem').filter({ hasText: 'demo-shop' }).getByRole('button').click();
  await page.getByText('customer', { exact: true }).waitFor();
  const editor = page.locator('.cm-content');
  await editor.click();
  await page.keyboard.insertText(query);
  await page.keyboard.press('Control+Enter');
  await page.getByText('Lisbon').waitFor();
  await page.mouse.move(0, 0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(images, `editor-${colorScheme}.png`) });
  }
} finally {
  demonstration.child.kill('SIGINT');
  await demonstration.finished;
}
