import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

const root = path.resolve(import.meta.dirname, '../..');
const cache = path.join(root, 'node_modules/.cache/command-line');

/**
 * Puts the sources of the command line into few files. Tests start it hundreds of times, and from its sources, which are some three
 * hundred files, each start takes twice the processor's time.
 *
 * @returns the file to start, which stays the same as long as the sources do
 */
export async function bundleCommandLine(): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: 'cli/main.ts',
    platform: 'node',
    logLevel: 'warn',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id) && !id.startsWith('@rolecall/'),
    resolve: { conditionNames: ['source', 'import', 'node', 'default'] },
    plugins: [ownUrl],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const chunks = output.filter((each) => each.type === 'chunk');
  const folder = path.join(cache, digest(chunks));
  if (!existsSync(folder)) await publish(chunks, folder);
  return path.join(folder, 'main.js');
}

/** Modules find their files and packages from where they stand; in the bundle too that is the folder of the source. */
const ownUrl: Plugin = {
  name: 'own-url',
  transform: (code, id) =>
    code.includes('import.meta.url')
      ? { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
      : null,
};

function digest(chunks: readonly OutputChunk[]): string {
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(`${fileName}\0${code}\0`);
  return hash.digest('hex').slice(0, 16);
}

/** All of it or nothing: another run may make the same at this moment, and start from it. */
async function publish(chunks: readonly OutputChunk[], folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  for (const { fileName, code } of chunks) {
    const file = path.join(unfinished, fileName);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, code);
  }
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
}
