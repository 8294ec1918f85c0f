import path from 'node:path';
import { rolldown } from 'rolldown';
import { packagesOf } from '../third-party.ts';
import { writeBindings } from './bindings.ts';
import { type Edition, isLibrary, renameImports } from './editions.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface Bundle {
  readonly code: string;
  /** Names of the bundled packages. */
  readonly packages: readonly string[];
}

/**
 * One file of all modules, in CommonJS: what projects of CDKTF are, and what their tests under jest can load. What reads
 * definitions goes into it, since it is a package of ES modules, which jest cannot.
 */
export async function bundle(edition: Edition): Promise<Bundle> {
  writeBindings();
  const build = await rolldown({
    cwd: root,
    input: 'provider/cdktf/index.ts',
    platform: 'node',
    logLevel: 'warn',
    external: isLibrary,
    resolve: { conditionNames: ['source', 'import', 'node', 'default'] },
  });
  const { output } = await build.generate({ format: 'cjs', codeSplitting: false, exports: 'named' });
  await build.close();
  const [chunk] = output;
  return { code: renameImports(chunk.code, edition), packages: packagesOf(chunk.moduleIds) };
}
