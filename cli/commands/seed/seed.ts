import { readFileSync } from 'node:fs';
import { visible } from '@rolecall/reconcile';
import { SeedError, seedEditors } from '@rolecall/server';
import { parseDocument } from 'yaml';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { counted } from '../../output/words.ts';
import { existingPlace } from '../../store/store-place.ts';

/** Puts the editors of a file into a store: all or, when anything is wrong, none. */
export async function seedFile({ io, output }: Context, file: string, options: StoreOptions): Promise<ExitCode> {
  const entries = readEntries(file);
  const place = existingPlace(io.env, options);
  try {
    const seeded = await seedEditors({ ...place, environment: io.env, entries });
    output.say(`${visible(file)}: ${counted(seeded.created, 'editor')} made, ${seeded.updated} given other tabs.`);
    output.document(seeded);
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    const { problems } = error;
    throw new CliError(error.code, `${file} is not seeded, as something in it is wrong\n${error.message}`, {
      problems,
    });
  }
}

function readEntries(file: string): unknown {
  const document = parseDocument(readFileSync(file, 'utf8'), { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line = 0, col = 0 } = error.linePos?.[0] ?? {};
    const [what = ''] = error.message.split('\n');
    throw new CliError('ERR_SEED_YAML', `${file}:${line}:${col} is not YAML: ${what}`);
  }
  return document.toJS({ maxAliasCount: 100 });
}
