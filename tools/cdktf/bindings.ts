import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { schemaJson, version } from '@rolecall/provider';

const root = path.resolve(import.meta.dirname, '../..');
const generator = path.join(import.meta.dirname, 'generate-bindings.cjs');

/** Every release with the same two first numbers has the attributes that these bindings know. */
const constraint = `rolecall/rolecall@~> ${version.split('.').slice(0, 2).join('.')}.0`;

/**
 * Writes the bindings for CDKTF, which are not in Git. `@cdktf/provider-generator` generates a file for each resource or data
 * source from the provider's schema; an index of our own lists them, because the generator's loads each file lazily, in
 * CommonJS. Bindings from the same schema stay as they are.
 *
 * @param schema as `terraform providers schema -json` prints it
 */
export function writeBindings(
  folder = path.join(root, 'provider/cdktf/bindings'),
  schema: string = JSON.stringify(schemaJson()),
): void {
  const index = path.join(folder, 'index.ts');
  const header = `// Made from the provider's schema (${stampOf(schema)}); do not edit.\n`;
  if (existsSync(index) && readFileSync(index, 'utf8').startsWith(header)) return;
  const made = mkdtempSync(path.join(tmpdir(), 'rolecall-bindings-'));
  try {
    execFileSync(process.execPath, [generator, constraint, made], {
      input: schema,
      // No path, so that it finds no terraform to ask.
      env: { CHECKPOINT_DISABLE: '1', PATH: '' },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const generated = path.join(made, 'providers/rolecall');
    const names = globSync('*/index.ts', { cwd: generated }).toSorted();
    for (const name of names) writeFile(path.join(folder, name), readFileSync(path.join(generated, name), 'utf8'));
    // Does not delete the whole folder: another process may be reading files that stay the same.
    const old = globSync('**/*.ts', { cwd: folder }).filter((name) => name !== 'index.ts' && !names.includes(name));
    for (const name of old) rmSync(path.join(folder, name));
    // Last, as the index says that the others are complete.
    writeFile(index, `${header}\n${names.map((name) => `export * from './${name}';\n`).join('')}`);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Identifies everything that the bindings are made from: the schema, the generator and its options. */
function stampOf(schema: string): string {
  const own = readFileSync(path.join(root, 'node_modules/@cdktf/provider-generator/package.json'), 'utf8');
  const parts = [schema, constraint, own, readFileSync(generator, 'utf8')];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

/** A process that reads the file at the same moment finds all of it or none. */
function writeFile(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const written = `${file}.${process.pid}`;
  writeFileSync(written, text);
  renameSync(written, file);
}

if (import.meta.main) writeBindings();
