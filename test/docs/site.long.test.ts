/** The site as a reader has it: in a browser, from a server that serves files and nothing else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browserOptions, launchBrowser } from '../support/browser.ts';
import { requires } from '../support/databases/parts.ts';
import { listenOn } from '../support/relay.ts';
import { root } from './markdown.ts';

const folder = path.join(root, 'dist/site');
const skipped = browserOptions.skip === false ? requires('site') : browserOptions;

describe('the site of the documentation', skipped, () => {
  let server: Server;
  let url: string;
  before(async () => {
    execFileSync('npm', ['run', '--silent', 'docs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    server = createServer((request, response) => {
      const file = fileAt(new URL(request.url ?? '/', 'http://site').pathname);
      response.writeHead(file === undefined ? 404 : 200, {
        'content-type': types[path.extname(file ?? '')] ?? 'text/html',
      });
      response.end(file === undefined ? '' : readFileSync(file));
    });
    const port = await listenOn(server);
    url = `http://127.0.0.1:${port}`;
  });
  after(() => server.close());

  it('has no link or picture that leads nowhere, and every page is in its menu', () => {
    const pages = globSync('**/*.html', { cwd: folder }).filter((name) => name !== '404.html');
    assert.ok(pages.length > 50, `${pages.length} pages`);
    const menu = new Set<string>();
    const broken = pages.flatMap((name) => {
      const here = `/${name}`;
      const targets = [...read(name).matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, target]) => target ?? '');
      return targets
        .filter((target) => {
          const { origin, pathname, hash } = new URL(target.replaceAll('&amp;', '&'), `http://site${here}`);
          if (origin !== 'http://site') return false;
          menu.add(fileAt(pathname) ?? '');
          return !leadsTo(pathname, decodeURIComponent(hash.slice(1)));
        })
        .map((target) => `${name}: ${target}`);
    });
    assert.deepEqual(broken, []);
    assert.deepEqual(
      pages.filter((name) => !menu.has(path.join(folder, name)) && name !== 'index.html'),
      [],
    );
  });

  it('finds a page by a word of it', async () => {
    await using launched = await launchBrowser();
    const page = await launched.browser.newPage();
    // The button does nothing before the page's script has loaded.
    await page.goto(url, { waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('channel binding');
    await page.locator('#localsearch-list a[href*="/gateway.html"]').first().click();
    await page.getByRole('heading', { name: 'The gateway', level: 1 }).waitFor();
  });

  it('fits phones, tablets and desks in both themes, and asks nothing of another host', async () => {
    await using launched = await launchBrowser();
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await launched.browser.newPage({ colorScheme, reducedMotion: 'reduce' });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('request', (request) => {
        if (!request.url().startsWith(url)) problems.push(request.url());
      });
      for (const name of [
        '',
        'tutorial.html',
        'gateway.html',
        'kinds/permission.html',
        'api-reference.html',
        'pages.html',
      ]) {
        await page.goto(`${url}/${name}`);
        assert.equal(
          await page.evaluate("document.documentElement.classList.contains('dark')"),
          colorScheme === 'dark',
        );
        for (const width of [375, 768, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          await picture(page, `${name.replaceAll('/', '-') || 'home'}-${width}-${colorScheme}`);
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
          if (overflow > 0) problems.push(`${name} is ${overflow} pixels wider than ${width}`);
        }
      }
      assert.deepEqual(problems, []);
    }
  });
});

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

function fileAt(pathname: string): string | undefined {
  const file = path.join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  return existsSync(file) && statSync(file).isFile() ? file : undefined;
}

function leadsTo(pathname: string, fragment: string): boolean {
  const file = fileAt(pathname);
  if (file === undefined || fragment === '') return file !== undefined;
  return read(path.relative(folder, file)).includes(` id="${fragment}"`);
}

const texts = new Map<string, string>();
function read(name: string): string {
  const text = texts.get(name) ?? readFileSync(path.join(folder, name), 'utf8');
  texts.set(name, text);
  return text;
}

/** Keeps a picture for those who look at them: in the folder that ROLECALL_TEST_PICTURES names. */
async function picture(page: Page, name: string): Promise<void> {
  const pictures = process.env['ROLECALL_TEST_PICTURES'];
  if (pictures !== undefined) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}
