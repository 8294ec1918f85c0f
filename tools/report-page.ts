import path from 'node:path';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');

/** The script of the report's page, made of its modules: a page of one file cannot import. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const { output } = await build({
    cwd: root,
    input: 'cli/commands/report/page/main.ts',
    write: false,
    logLevel: 'warn',
    output: { format: 'iife' },
  });
  const banner = '// Made from the modules beside it by `npm run generate`; do not edit.\n';
  return new Map([['cli/commands/report/page/page.js', banner + output[0].code]]);
}
