/**
 * `npm run generate`: writes every file that is generated from the code and committed. With `--check` it writes
 * nothing, names the files that differ, and then exits with 1.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generatedFiles } from '../api/generate.ts';

const root = path.resolve(import.meta.dirname, '..');

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean', default: false } } });
  const files = { ...generatedFiles(), ...(await filesOfTheKinds()) };
  const stale: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    if ((await contentOf(name)) !== content) stale.push(name);
  }
  if (values.check) return report(stale);
  for (const name of stale) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, files[name] ?? '');
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

async function filesOfTheKinds(): Promise<Record<string, string>> {
  const file = path.join(root, 'crds/generate.ts');
  if (!existsSync(file)) return {};
  const module = (await import(file)) as { generatedFiles: () => Record<string, string> };
  return module.generatedFiles();
}
