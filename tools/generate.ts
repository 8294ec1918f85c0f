/**
 * `npm run generate`: writes every file that is generated from the code and committed, and the bindings for CDKTF, which
 * are not. With `--check` it writes nothing, names the committed files that differ, and then exits with 1.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generatedFiles as contractFiles } from '../api/generate.ts';
import { generatedFiles as benchmarkFiles } from '../bench/report/benchmarks-page.ts';
import { generatedFiles as kindFiles } from '../crds/generate.ts';
import { generatedFiles as planFiles } from '../reconcile/generate.ts';
import { writeBindings } from './cdktf/bindings.ts';
import { generatedFiles as referenceFiles } from './kinds/definitions.ts';
import { generatedFiles as deployFiles } from './operator-deploy.ts';
import { generatedFiles as packageFiles } from './package-files.ts';
import { generatedFiles as apiReferenceFiles } from './pages/api-reference.ts';
import { generatedFiles as commandLineErrorFiles } from './pages/command-line-errors.ts';
import { generatedFiles as reasonFiles } from './pages/operator-reasons.ts';
import { generatedFiles as planReferenceFiles } from './pages/plan-reference.ts';
import { generatedFiles as providerFiles } from './pages/provider-docs.ts';

const root = path.resolve(import.meta.dirname, '..');

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean', default: false } } });
  const files = new Map([
    ...contractFiles(),
    ...apiReferenceFiles(),
    ...kindFiles(),
    ...referenceFiles(),
    ...commandLineErrorFiles(),
    ...deployFiles(),
    ...reasonFiles(),
    ...providerFiles(),
    ...planFiles(),
    ...planReferenceFiles(),
    ...packageFiles(),
    ...benchmarkFiles(),
  ]);
  const stale = new Map<string, string>();
  for (const [name, content] of files) {
    if ((await contentOf(name)) !== content) stale.set(name, content);
  }
  if (values.check) return report([...stale.keys()]);
  writeBindings();
  for (const [name, content] of stale) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    process.stdout.write(`${name}\n`);
  }
  return 0;
}

function report(stale: string[]): number {
  if (stale.length === 0) return 0;
  process.stderr.write(
    `npm run generate was not run; these files differ:\n${stale.map((name) => `  ${name}\n`).join('')}`,
  );
  return 1;
}

async function contentOf(name: string): Promise<string | undefined> {
  try {
    return await readFile(path.join(root, name), 'utf8');
  } catch {
    return undefined;
  }
}
