/** Over the embedded store only: it waits for the disk by itself. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import { requires } from '../../support/databases/parts.ts';
import { temporaryFolder } from '../support/service.ts';
import { DiskFile, readTrace, straceOptions, type Traced } from './traced-files.ts';

const people = 120;
/** So short that the log is copied and begun anew many times. */
const checkpointAt = 60;

/** Runs the child under strace. @returns what it printed, by word: `answered`, `unseen`, `refused` */
async function runTraced(folder: string, options: readonly string[]): Promise<Map<string, string[]>> {
  const child = [path.join(import.meta.dirname, 'answering-child.ts'), folder, String(people), String(checkpointAt)];
  const command = [...options, process.execPath, '--conditions=source', ...child];
  const { stdout } = await promisify(execFile)('strace', command);
  return Map.groupBy(stdout.trim().split('\n'), (line) => line.split(' ')[0] ?? '');
}

async function newFolder(): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder();
  await (await openSqliteStore(folder)).close();
  return { folder, file: path.join(folder, 'rolecall.db') };
}

/** The people of a store that was not closed. */
function peopleIn(file: string): Set<string> {
  using database = new DatabaseSync(file);
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  return new Set(
    database
      .prepare('SELECT id FROM person')
      .all()
      .map(({ id }) => String(id)),
  );
}

/** The same numbers in each run, from 0 to 1. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('the embedded store', requires('strace'), () => {
  let file: string;
  let empty: Buffer;
  let events: Traced[];

  before(async () => {
    const place = await newFolder();
    file = place.file;
    empty = readFileSync(file);
    const trace = path.join(place.folder, 'trace');
    const printed = await runTraced(place.folder, [...straceOptions, '-o', trace]);
    assert.equal(printed.get('answered')?.length, people);
    events = await readTrace(trace);
  });

  it('has everything that was answered, and is whole, wherever the power is cut', async () => {
    const random = sequence(1);
    const cut = path.join(await temporaryFolder(), 'rolecall.db');
    const files = new Map(
      [file, `${file}-wal`].map((name) => [name, new DiskFile(name === file ? empty : Buffer.alloc(0))]),
    );
    const answered: string[] = [];
    const check = (share: number): void => {
      const isKept = () => random() < share;
      writeFileSync(cut, files.get(file)?.afterPowerCut(isKept) ?? '');
      writeFileSync(`${cut}-wal`, files.get(`${file}-wal`)?.afterPowerCut(isKept) ?? '');
      const there = peopleIn(cut);
      const lost = answered.filter((id) => !there.has(id));
      assert.deepEqual(lost, [], `after ${answered.length} answers`);
    };
    for (const [index, event] of events.entries()) {
      if (event.kind === 'printed') {
        answered.push(event.text.trim().split(' ')[1] ?? '');
        if (events[index + 1]?.kind !== 'printed') check(0);
      } else if (event.kind === 'synced') {
        if (index % 3 === 0) check(random());
        files.get(event.file)?.sync(event.begun);
      } else files.get(event.file)?.change(event, index);
    }
    assert.equal(answered.length, people);
  });

  it('waits for the disk on the thread that answers requests only where the log is begun anew, and at the end', () => {
    const log = `${file}-wal`;
    const main = events.find(({ kind }) => kind === 'printed')?.thread;
    const begun = events.filter((event) => event.kind === 'wrote' && event.file === log && event.at === 0).length;
    const synced = events.filter((event) => event.kind === 'synced' && event.file === log);
    const byMain = synced.filter(({ thread }) => thread === main).length;
    assert.ok(begun > 3, `the log was begun ${begun} times`);
    assert.ok(byMain <= begun + 1, `it waited ${byMain} times, and the log was begun ${begun} times`);
    assert.ok(synced.length - byMain >= people / 3, `the others waited ${synced.length - byMain} times`);
  });
});

describe('the embedded store whose disk fails once', requires('strace'), () => {
  it('answers nothing from then on, and has everything that was answered when it is opened again', async () => {
    const { folder, file } = await newFolder();
    const fault = ['-f', '-P', `${file}-wal`, '-e', 'trace=fdatasync', '-e', 'inject=fdatasync:error=EIO:when=5'];
    const printed = await runTraced(folder, [...fault, '-o', path.join(folder, 'trace')]);
    const [answered = [], refused = []] = [printed.get('answered'), printed.get('refused')];
    assert.equal(answered.length + refused.length, people);
    assert.ok(answered.length >= 5 && refused.length > 50, `${answered.length} answered, ${refused.length} refused`);
    for (const line of refused)
      assert.match(line, /the disk failed to store what was written .* start the service again/);
    const store = await openSqliteStore(folder);
    await store.close();
    const there = peopleIn(file);
    assert.deepEqual(
      answered.filter((line) => !there.has(line.split(' ')[1] ?? '')),
      [],
    );
  });
});
