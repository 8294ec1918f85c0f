import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { schemaJson, version } from '@rolecall/provider';

const folder = 'provider/cdktf/bindings';

/** Every release with the same two first numbers has the attributes that these bindings know. */
const constraint = `rolecall/rolecall@~> ${version.split('.').slice(0, 2).join('.')}.0`;

/**
 * The bindings for CDKTF as `@cdktf/provider-generator` writes them from the provider's schema, a file a resource or data
 * source, and an index of them. Its own index is left out: it loads each only when it is asked for, in CommonJS.
 */
export function generatedFiles(): Map<string, string> {
  const written = generate(schemaJson());
  const names = [...written.keys()].toSorted();
  const index = names.map((name) => `export * from './${name}';\n`).join('');
  return new Map([
    ...names.map((name) => [`${folder}/${name}`, written.get(name) ?? ''] as const),
    [`${folder}/index.ts`, `// Made by \`npm run generate\` from the provider's schema; do not edit.\n\n${index}`],
  ]);
}

/** The files by their names, such as `person/index.ts`. */
function generate(schema: unknown): Map<string, string> {
  const out = mkdtempSync(path.join(tmpdir(), 'rolecall-bindings-'));
  try {
    execFileSync(process.execPath, [path.join(import.meta.dirname, 'generate-bindings.cjs'), constraint, out], {
      input: JSON.stringify(schema),
      // No path, so that it finds no terraform to ask.
      env: { CHECKPOINT_DISABLE: '1', PATH: '' },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const root = path.join(out, 'providers/rolecall');
    return new Map(
      globSync('*/index.ts', { cwd: root }).map((name) => [name, readFileSync(path.join(root, name), 'utf8')]),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
