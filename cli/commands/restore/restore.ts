import { resolve } from 'node:path';
import { visible } from '@rolecall/reconcile';
import { restoreStore } from '@rolecall/server';
import type { CommonOptions, Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { counted, shellWord } from '../../output/words.ts';
import { storeFolder } from '../../store/store-place.ts';

export interface RestoreCommandOptions extends CommonOptions, Pick<StoreOptions, 'data'> {
  keyFile?: string;
}

/** `rolecall restore`. */
export async function restore(
  { io, output }: Context,
  file: string,
  { keyFile, ...where }: RestoreCommandOptions,
): Promise<ExitCode> {
  const dataDir = resolve(storeFolder(io.env, where));
  const restored = await restoreStore({ file: resolve(file), dataDir, keyFile, environment: io.env });
  output.document(restored);
  output.say(`Restored to ${visible(dataDir)}: the store as of ${restored.takenAt}.`);
  output.say(
    `${counted(restored.validKeys, 'API key')} of that time can be used again, including keys that were revoked or rotated later. Review them with\n  rolecall keys list --data ${shellWord(dataDir)}`,
  );
  return exitCodes.ok;
}
