import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundleOperator } from '../../tools/bundle-operator.ts';

/** A command, as far as it is called here. */
interface Module {
  operateUntilSignal: (context: object, flags: object) => Promise<unknown>;
}

describe('the operator of a release', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'rolecall-operator-bundle-'));
  const folder = path.join(root, 'dist/commands/operator');
  const file = path.join(folder, 'operator.js');
  let chunks: Awaited<ReturnType<typeof bundleOperator>>;

  before(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(root, 'package.json'), '{ "type": "module" }');
    writeFileSync(path.join(root, 'dist/errors.js'), 'export class CliError extends Error { isOfCommandLine = true }');
    writeFileSync(path.join(root, 'dist/version.js'), "export const readVersion = () => '0'");
    chunks = await bundleOperator(file);
  });

  after(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('brings everything along but Node and what the command line has', () => {
    const own = new Set(chunks.map(({ fileName }) => fileName));
    const names = new Set(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]));
    const others = [...names].filter((name) => !own.has(name) && !name.startsWith('node:'));
    assert.deepEqual(others.sort(), ['../../errors.js', '../../version.js', '@kubernetes/client-node/dist/config.js']);
  });

  it('has the licences of the packages that it brings', () => {
    const licences = readFileSync(path.join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['undici', 'zod']) assert.match(licences, new RegExp(`^${name}$`, 'm'));
  });

  it("throws the command line's own errors", async () => {
    const { operateUntilSignal } = (await import(pathToFileURL(file).href)) as Module;
    const context = { io: {}, output: { format: 'text' } };
    await assert.rejects(operateUntilSignal(context, { driftInterval: 'soon' }), { isOfCommandLine: true });
  });
});
