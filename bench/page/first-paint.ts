import type { Browser } from 'playwright-core';
import { median } from '../report/report.ts';

/** The connection of a person at home: 10 Mbit/s, and 40 ms until an answer begins. */
const network = { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 };
const rounds = 5;

/** First contentful paint of each page in turns, in a browser that knows nothing of it: the medians, in milliseconds. */
export async function measureFirstPaints(browser: Browser, urls: readonly string[]): Promise<number[]> {
  const times = urls.map((): number[] => []);
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const [index, url] of urls.entries()) times[index]?.push(await firstPaint(browser, url));
  }
  return times.map(median);
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  await page.goto(url, { waitUntil: 'commit' });
  const time = await page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [entry] = list.getEntriesByName('first-contentful-paint');
      if (entry !== undefined) resolve(entry.startTime);
    }).observe({ type: 'paint', buffered: true });
  })`);
  await context.close();
  return time;
}
