import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { bundle } from '../bundle.ts';

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
  await bundle({
    input: `provider/${program}.ts`,
    file,
    format: 'cjs',
    plugins: [encodedSchema(await encodeSchema())],
    // Before anything that an older Node cannot read; Terraform shows what is written to standard error.
    banner: oldNode,
    isOneFile: split === 'one file',
  });
}

const oldNode = `if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write('The provider rolecall needs Node 24 or newer, and this is ' + process.versions.node + ': install it, or name another one by ROLECALL_NODE\\n');
  process.exit(1);
}`;

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
