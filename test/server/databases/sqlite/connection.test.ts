import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { parseConnectionUri } from '@rolecall/api';
import ts from 'typescript';
import type { Dialect } from '../../../../server/databases/dialect.ts';
import { testConnection } from '../../../../server/databases/index.ts';
import { guard } from '../../../support/guard.ts';
import { assertNothingLeft, openHandles } from '../../../support/handles.ts';
import { failing, succeeding } from '../../../support/test-outcome.ts';

describe('testing a SQLite data source', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'rolecall-sqlite-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Makes a database file and gives its path. */
  function makeDatabase(name: string, ...statements: string[]): string {
    const file = path.join(folder, name);
    using database = new DatabaseSync(file);
    for (const statement of ['CREATE TABLE t (x)', ...statements]) database.exec(statement);
    return file;
  }

  it('gives the version of SQLite', async () => {
    const version = await succeeding(`sqlite://${makeDatabase('reports.db')}`);
    assert.equal(version.productName, 'SQLite');
    assert.equal(version.productVersion, process.versions['sqlite']);
    assert.equal(`${version.major}.${version.minor}.${version.patch}`, version.productVersion);
  });

  it('takes a path with any characters, and never as a URI of SQLite', async () => {
    const file = makeDatabase('Größe & 100%?mode=rwc.db');
    await succeeding(`sqlite://${file.split('/').map(encodeURIComponent).join('/')}?mode=ro`);
  });

  it('changes neither the file nor its folder', async () => {
    for (const [name, mode] of [
      ['plain.db', 'DELETE'],
      ['wal.db', 'WAL'],
    ]) {
      mkdirSync(path.join(folder, String(mode)));
      const file = makeDatabase(`${mode}/${name}`, `PRAGMA journal_mode = ${mode}`);
      const content = readFileSync(file);
      await succeeding(`sqlite://${file}?mode=rw`);
      assert.deepEqual(readFileSync(file), content);
      assert.deepEqual(readdirSync(path.dirname(file)), [name]);
    }
  });

  it('reads a file in WAL mode while another process writes to it', async () => {
    const file = makeDatabase('busy-wal.db', 'PRAGMA journal_mode = WAL');
    using database = new DatabaseSync(file);
    database.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    await succeeding(`sqlite://${file}`);
    database.exec('COMMIT');
  });

  it('does not make a file that is missing', async () => {
    assert.equal(await failing(`sqlite://${folder}/missing.db`), 'unable to open database file');
    assert.ok(!readdirSync(folder).includes('missing.db'));
  });

  it('says of a text file that it is no database', async () => {
    const file = path.join(folder, 'text.db');
    writeFileSync(file, 'name,amount\n'.repeat(100));
    assert.equal(await failing(`sqlite://${file}`), 'file is not a database');
  });

  it('refuses a folder', async () => {
    assert.match(await failing(`sqlite://${folder}`), /EISDIR/);
  });

  it('reports that a file is locked', async () => {
    const file = makeDatabase('locked.db');
    using database = new DatabaseSync(file);
    database.exec('BEGIN EXCLUSIVE');
    assert.equal(await failing(`sqlite://${file}`), 'database is locked');
  });

  it('gives up a file that never answers, and ends its process', { skip: process.platform === 'win32' }, async () => {
    const pipe = path.join(folder, 'pipe.db');
    execFileSync('mkfifo', [pipe]);
    assert.equal(await failing(`sqlite://${pipe}`, '', 500), 'no answer within 0.5 s');
  });

  it('ends its process when the caller gives up', { skip: process.platform === 'win32' }, async () => {
    const pipe = path.join(folder, 'other-pipe.db');
    execFileSync('mkfifo', [pipe]);
    const handles = openHandles();
    const signal = AbortSignal.timeout(300);
    await assert.rejects(testConnection(`sqlite://${pipe}`, { guard, signal }), { name: 'TimeoutError' });
    await assertNothingLeft(handles);
  });

  it('works as the JavaScript that is published', async () => {
    const sources = path.resolve(import.meta.dirname, '../../../../server/databases');
    const built = path.join(folder, 'dist');
    mkdirSync(path.join(built, 'sqlite'), { recursive: true });
    writeFileSync(path.join(built, 'package.json'), '{"type":"module"}');
    for (const name of ['dialect', 'sqlite/index', 'sqlite/spawn-child', 'sqlite/child']) {
      const { outputText } = ts.transpileModule(readFileSync(path.join(sources, `${name}.ts`), 'utf8'), {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ESNext,
          rewriteRelativeImportExtensions: true,
        },
      });
      writeFileSync(path.join(built, `${name}.js`), outputText);
    }
    const { sqlite } = (await import(path.join(built, 'sqlite/index.js'))) as { sqlite: Dialect };
    const { signal } = new AbortController();
    const uri = await guard.admit(parseConnectionUri(`sqlite://${makeDatabase('published.db')}`), signal);
    const { version } = await sqlite.readVersion(uri, signal);
    assert.equal(version.productName, 'SQLite');
  });

  it('does not hand the environment of the service to its process', async () => {
    const file = makeDatabase('environment.db');
    const before = process.env['NODE_OPTIONS'];
    process.env['NODE_OPTIONS'] = '--no-such-option';
    try {
      await succeeding(`sqlite://${file}`);
    } finally {
      if (before === undefined) delete process.env['NODE_OPTIONS'];
      else process.env['NODE_OPTIONS'] = before;
    }
  });
});
