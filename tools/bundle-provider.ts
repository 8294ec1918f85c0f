import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { licensesOf, packagesOf } from './third-party.ts';

/** The name of the file with the licences of what went into the bundle, beside it. */
export const licensesFile = 'THIRD-PARTY-LICENSES.txt';

/**
 * Puts all modules of the Terraform provider into one file, from which Node starts several times faster.
 *
 * @param program the module that starts it
 */
export async function bundleProvider(file: string, program: 'main' | 'snapshot' = 'main'): Promise<void> {
  const { output } = await build({
    cwd: join(import.meta.dirname, '..'),
    input: `provider/${program}.ts`,
    platform: 'node',
    logLevel: 'warn',
    resolve: { conditionNames: ['source', 'import', 'node', 'default'] },
    plugins: [undiciPool],
    output: { format: 'cjs', file, minify: true, codeSplitting: false },
  });
  writeFileSync(file, toAscii(readFileSync(file, 'utf8')));
  writeFileSync(join(dirname(file), licensesFile), licensesOf(packagesOf(output[0].moduleIds)));
}

const pool = '\0undici-pool';

/** Of undici the provider uses its pool. All of it is as large as the rest of the provider, and is read at every start. */
const undiciPool: Plugin = {
  name: 'undici-pool',
  resolveId: (source) => (source === 'undici' ? pool : null),
  load: (id) => (id === pool ? "export { default as Pool } from 'undici/lib/dispatcher/pool.js';" : null),
};

/**
 * Writes what is not ASCII as an escape: Node takes twice the memory, and longer, for a file that has any of it. The
 * bundle has such letters in names of properties, texts and patterns only, where an escape means the same.
 */
function toAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/gu, (letter) => {
    const hex = (letter.codePointAt(0) ?? 0).toString(16);
    // Names of properties take the pair of a letter beyond the first 65,536 in this form only.
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}
