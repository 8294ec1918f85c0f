import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The options of a test that needs a browser: skipped, with what to install, where there is none. */
export const browserOptions: { skip: string | false } = {
  skip: findChromium() === undefined ? 'needs Chromium: apt-get install chromium' : false,
};

/** Starts the machine's own Chromium, without a window. */
export async function launchBrowser(): Promise<AsyncDisposable & { readonly browser: Browser }> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('this test needs Chromium: apt-get install chromium');
  // Chromium refuses to run as root with its sandbox, and containers have little shared memory.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = [...asRoot, '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none', '--lang=en-GB'];
  const browser = await chromium.launch({ executablePath, args });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}

/** Gives a page's browser a passkey authenticator that always verifies its user. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return named;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const files = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    folders.map((folder) => path.join(folder, name)),
  );
  return files.find((file) => existsSync(file));
}
