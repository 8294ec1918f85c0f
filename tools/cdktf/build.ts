import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { licensesOf } from '../third-party.ts';
import { writeBindings } from './bindings.ts';
import { bundle } from './bundle.ts';
import { type Edition, editions, renameImports } from './editions.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Builds the packages for CDKTF and for its successor: one source, the import renamed.
 *
 * @param folder where each package has a folder, named after its library, that gets a `dist`
 */
export async function buildEditions(folder = path.join(root, 'provider')): Promise<void> {
  writeBindings();
  const declarations = declare();
  for (const edition of editions) await build(edition, declarations, path.join(folder, edition.library, 'dist'));
}

async function build(edition: Edition, declarations: ReadonlyMap<string, string>, dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const { code, packages } = await bundle(edition);
  const files = new Map([
    ['index.js', code],
    // The package is written in ES modules, and published in what CDKTF is written in.
    ['package.json', '{ "type": "commonjs" }\n'],
    ['THIRD-PARTY-LICENSES.txt', licensesOf(packages)],
    ...[...declarations].map(([name, text]) => [name, renameImports(text, edition)] as const),
  ]);
  for (const [name, text] of files) {
    const file = path.join(dist, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The declarations that the index leads to, by their names. */
function declare(): Map<string, string> {
  const out = mkdtempSync(path.join(tmpdir(), 'rolecall-declarations-'));
  try {
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const project = path.join(root, 'provider/cdktf/tsconfig.build.json');
    execFileSync(process.execPath, [tsc, '-p', project, '--outDir', out], { stdio: 'inherit' });
    const found = new Map<string, string>();
    follow(path.join(out, 'provider/cdktf'), 'index.d.ts', found);
    return found;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Takes a file and its imports: the other files declare internals, with types that no one installs. */
function follow(folder: string, name: string, found: Map<string, string>): void {
  if (found.has(name)) return;
  // The compiler renames imports in JavaScript, not in declarations, and older compilers expect .js there.
  const text = readFileSync(path.join(folder, name), 'utf8').replaceAll(/(\bfrom ['"]\.[^'"]+)\.ts(?=['"])/g, '$1.js');
  found.set(name, text);
  for (const [, target = ''] of text.matchAll(/\bfrom ['"](\.[^'"]+)\.js['"]/g)) {
    follow(folder, path.posix.join(path.posix.dirname(name), `${target}.d.ts`), found);
  }
}
