import type { Browser } from 'playwright-core';
import { percentile, round } from '../report/report.ts';
import type { Person } from './person.ts';

/** ROLECALL_BENCH_GRID_ROWS makes a short run of it, to see that it works. */
const rows = Number(process.env['ROLECALL_BENCH_GRID_ROWS'] ?? 1_000_000);
const columns = 200;
const jumps = 200;

/** Jumps to places in a result, anywhere. */
export async function measureGrid(browser: Browser, url: string, person: Person): Promise<Record<string, number>> {
  const cells = Array.from({ length: columns - 1 }, (_none, index) => `(x + ${index}) % 100 as c${index + 2}`);
  const query = await person.run(
    `with recursive g(x) as (select 1 union all select x + 1 from g where x < ${rows}) select x as id, ${cells.join(', ')} from g`,
  );
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await person.signIn(context);
  const page = await context.newPage();
  await page.goto(`${url}/query/${query}`);
  await page.getByRole('gridcell').first().waitFor();
  await page.locator('.grid-row:not([aria-busy])').first().waitFor();
  const times = await page.evaluate<number[]>(jumpAround);
  const floors = await page.evaluate<number[]>(readAround(query));
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  await context.close();
  return {
    gridRows: rows,
    jumpP50Ms: round(percentile(times, 0.5), 1),
    jumpP99Ms: round(percentile(times, 0.99), 1),
    floorP50Ms: round(percentile(floors, 0.5), 1),
    floorP99Ms: round(percentile(floors, 0.99), 1),
    heapMiB: round(usedSize / 2 ** 20, 1),
    nodes,
  };
}

/** Each jump is over with the frame after the one in which no row in sight is missing. */
const jumpAround = `(async () => {
  const scroll = document.querySelector('.grid-scroll');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const first = () => document.querySelector('.grid-row:not(:nth-child(2))')?.getAttribute('aria-rowindex');
  const times = [];
  for (let jump = 0; jump < ${jumps}; jump += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = first();
    const began = performance.now();
    scroll.scrollTop = Math.random() * (scroll.scrollHeight - scroll.clientHeight);
    do {
      await frame();
      if (performance.now() - began > 20000) throw new Error('jump ' + jump + ' to ' + scroll.scrollTop + ' showed no rows');
    } while (first() === before || document.querySelector('.grid-row[aria-busy]') !== null);
    await frame();
    times.push(performance.now() - began);
  }
  return times;
})()`;

/** What no grid can do without: as many rows from any place, and two frames. */
const readAround = (query: string) => `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const times = [];
  for (let jump = 0; jump < ${jumps}; jump += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = performance.now();
    const seek = Math.floor(Math.random() * ${rows - 100});
    await (await fetch('/person/v1/query/${query}/result/0/rows?limit=100&seek=' + seek)).json();
    await frame();
    await frame();
    times.push(performance.now() - began);
  }
  return times;
})()`;
