import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createKey } from '@rolecall/server';
import { launchBrowser } from '../test/support/browser.ts';
import { startChild } from './children/child.ts';
import { measureCode } from './page/code.ts';
import { makeTables, measureCompletion } from './page/completion.ts';
import { serveDbGate } from './page/dbgate.ts';
import { measureFirstPaints } from './page/first-paint.ts';
import { measureGrid } from './page/grid.ts';
import { Person } from './page/person.ts';
import { type Report, round } from './report/report.ts';

/** The page that people work in, in the machine's own Chromium. */
export async function run(): Promise<Report> {
  execFileSync(process.execPath, ['--conditions=source', 'tools/build-web.ts'], {
    cwd: path.join(import.meta.dirname, '..'),
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-bench-'));
  const dataDir = path.join(folder, 'data');
  const database = path.join(folder, 'bench.db');
  makeTables(database);
  const key = await createKey({ dataDir, scope: 'admin' });
  const service = await startChild('service.ts', [dataDir, JSON.stringify({ sqliteFolders: [folder] })]);
  try {
    const { url } = service;
    const person = await Person.make({ url, key, dataDir, configUri: `sqlite://${database}` });
    return await measure(url, person, folder);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(url: string, person: Person, folder: string): Promise<Report> {
  await using launched = await launchBrowser();
  const { browser } = launched;
  const code = await measureCode(browser, url, person);
  const dbGate = await serveDbGate(folder);
  const [paint = Number.NaN, dbGatePaint = Number.NaN] = await measureFirstPaints(browser, [`${url}/`, dbGate.url]);
  dbGate.stop();
  const completion = await measureCompletion(browser, url, person);
  const grid = await measureGrid(browser, url, person);
  return {
    name: 'page',
    figures: {
      ...code,
      firstPaintMs: round(paint),
      dbGateFirstPaintMs: round(dbGatePaint),
      firstPaintRatio: round(paint / dbGatePaint),
      ...completion,
      ...grid,
    },
    notes: {
      signInKiB: 'scripts and styles of the sign-in, gzip',
      shellKiB: 'the same, of the first view after the sign-in',
      editorKiB: 'the same, of an editor as it opens, with all that the page loaded before it',
      editorUsedKiB:
        'the same, once a statement was typed and run: the completion comes with the first key, the grid with the first run',
      allKiB: 'the same, of all views',
      firstPaintMs: 'first contentful paint of the sign-in at 10 Mbit/s and 40 ms, nothing in the cache',
      dbGateFirstPaintMs: "the same of DbGate's page, from its package on npm, served from memory with gzip",
      firstPaintRatio: 'the one ÷ the other',
      completionP50Ms: 'from a key to the frame with the list of names, with 10,000 tables of 20 columns',
      completionP99Ms: 'the same',
      gridRows: 'rows of 200 columns in one result',
      jumpP50Ms: 'from a jump to any place of the grid until its rows were read and painted',
      jumpP99Ms: 'the same',
      floorP50Ms: 'a bare read of 100 rows from any place of the same result, and two frames, in the same page',
      floorP99Ms: 'the same',
      heapMiB: "the page's JavaScript heap after 200 jumps, once garbage was collected",
      nodes: 'nodes of the document, texts included, after the same',
    },
    bounds: {
      signInKiB: ['at most', 15],
      shellKiB: ['at most', 45],
      editorKiB: ['at most', 140],
      allKiB: ['at most', 220],
      firstPaintRatio: ['at most', 0.2],
      completionP99Ms: ['at most', 50],
      jumpP99Ms: ['at most', 150],
      heapMiB: ['at most', 64],
      nodes: ['at most', 3000],
    },
  };
}
