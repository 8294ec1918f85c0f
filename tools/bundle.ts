import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { build, type OutputChunk, type Plugin } from 'rolldown';
import { licensesFile, licensesOf, packagesOf } from './third-party.ts';

export interface BundleOptions {
  /** The module that it starts with, from the root of the repository. */
  readonly input: string;
  /** Where it goes. Other files of it, which load when they are needed, have names that begin with the same word. */
  readonly file: string;
  readonly format: 'cjs' | 'esm';
  readonly plugins?: readonly Plugin[];
  /** Code before that of the first file. */
  readonly banner?: string;
  /** Whether it has to be one file. */
  readonly isOneFile?: boolean;
}

/** Puts modules into few files, from which Node starts several times faster, with the licences of the packages they come from. */
export async function bundle({
  input,
  file,
  format,
  plugins = [],
  banner = '',
  isOneFile = false,
}: BundleOptions): Promise<OutputChunk[]> {
  const folder = dirname(file);
  const extension = extname(file);
  const { output } = await build({
    cwd: join(import.meta.dirname, '..'),
    input,
    platform: 'node',
    logLevel: 'warn',
    // A pod needs no library that reads kubeconfigs.
    external: /^@kubernetes\/client-node/,
    resolve: { conditionNames: ['source', 'import', 'node', 'default'] },
    plugins: [undiciDispatchers, ...plugins],
    output: {
      format,
      dir: folder,
      entryFileNames: basename(file),
      chunkFileNames: `${basename(file, extension)}-[hash]${extension}`,
      minify: true,
      banner: ({ isEntry }) => (isEntry ? banner : ''),
      codeSplitting: !isOneFile,
    },
  });
  const chunks = output.filter((each) => each.type === 'chunk');
  for (const { fileName } of chunks) {
    writeFileSync(join(folder, fileName), toAscii(readFileSync(join(folder, fileName), 'utf8')));
  }
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  writeFileSync(join(folder, licensesFile), licensesOf(packagesOf(modules)));
  return chunks;
}

const dispatchers = '\0undici-dispatchers';

/**
 * The client uses two dispatchers of undici. All of undici is as large as the rest, and loads at every start. The
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
