import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { licensesOf, packagesOf } from './third-party.ts';

/** The name of the file with the licences of the bundled packages, beside it. */
export const licensesFile = 'THIRD-PARTY-LICENSES.txt';

/**
 * Puts the modules of the Terraform provider into few files, from which Node starts several times faster. The first start of
 * a command reads one file only. Others, whose names begin with the same word, load when they are needed. A snapshot and an
 * executable take a single file.
 *
 * @param program the module that starts it
 * @param split whether it may be several files
 */
export async function bundleProvider(
  file: string,
  program: 'main' | 'snapshot' = 'main',
  split: 'several files' | 'one file' = program === 'main' ? 'several files' : 'one file',
): Promise<void> {
  const folder = dirname(file);
  const { output } = await build({
    cwd: join(import.meta.dirname, '../..'),
    input: `provider/${program}.ts`,
    platform: 'node',
    logLevel: 'warn',
    resolve: { conditionNames: ['source', 'import', 'node', 'default'] },
    plugins: [undiciDispatchers, encodedSchema(await encodeSchema())],
    output: {
      format: 'cjs',
      dir: folder,
      entryFileNames: basename(file),
      chunkFileNames: `${basename(file, '.cjs')}-[hash].cjs`,
      minify: true,
      // Before anything that an older Node cannot read; Terraform shows what is written to standard error.
      banner: ({ isEntry }) => (isEntry ? oldNode : ''),
      codeSplitting: split === 'several files',
    },
  });
  const chunks = output.filter((each) => each.type === 'chunk');
  for (const { fileName } of chunks) {
    writeFileSync(join(folder, fileName), toAscii(readFileSync(join(folder, fileName), 'utf8')));
  }
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  writeFileSync(join(folder, licensesFile), licensesOf(packagesOf(modules)));
}

const oldNode = `if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write('The provider rolecall needs Node 24 or newer, and this is ' + process.versions.node + ': install it, or name another one by ROLECALL_NODE\\n');
  process.exit(1);
}`;

const dispatchers = '\0undici-dispatchers';

/**
 * The provider uses two dispatchers of undici. All of undici is as large as the rest of the provider, and loads at every start. The
 * index gives dispatchers their methods; the one for proxies calls `connect`.
 */
const undiciDispatchers: Plugin = {
  name: 'undici-dispatchers',
  resolveId: (source) => (source === 'undici' ? dispatchers : null),
  load: (id) => (id === dispatchers ? dispatchersCode : null),
};

const dispatchersCode = `import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
Dispatcher.prototype.connect = connect;
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
`;

/** Puts the answer to GetProviderSchema where the provider looks for it first. */
function encodedSchema(answer: Buffer): Plugin {
  const file = join(import.meta.dirname, '../../provider/encoded-schema.ts');
  return {
    name: 'encoded-schema',
    load: (id) => (id === file ? `export const schema = ${JSON.stringify(answer.toString('latin1'))};` : null),
  };
}

async function encodeSchema(): Promise<Buffer> {
  // Only now, as the packages that it imports may have been built just before.
  const { open } = await import('../../provider/open.ts');
  const answer = open({})(() => undefined)('/tfplugin6.Provider/GetProviderSchema')?.(Buffer.alloc(0));
  if (!(answer instanceof Promise)) throw new Error('the provider has no schema');
  return answer;
}

/**
 * Escapes characters beyond ASCII, because Node takes more time and twice the memory for a file that has any. The
 * bundle has them only in names of properties, texts and patterns, where an escape means the same.
 */
function toAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/gu, (letter) => {
    const hex = (letter.codePointAt(0) ?? 0).toString(16);
    // Property names allow only this form for a letter beyond the first 65,536.
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}
