import { resolve } from 'node:path';
import { visible } from '@rolecall/reconcile';
import { backupStore } from '@rolecall/server';
import type { CommonOptions, Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { failUnlessStore } from '../../store/data-folder.ts';
import { storeFolder } from '../../store/store-place.ts';

export interface BackupOptions extends CommonOptions, Pick<StoreOptions, 'data'> {
  out: string;
}

/** `rolecall backup`. */
export async function backUp({ io, output }: Context, { out, ...where }: BackupOptions): Promise<ExitCode> {
  const data = storeFolder(io.env, where);
  failUnlessStore(data);
  const backup = await backupStore({ dataDir: resolve(data), out: resolve(out) });
  const { file, bytes, takenAt, sha256, keyFile } = backup;
  const key = keyFile === undefined ? 'which comes from the environment' : visible(keyFile);
  output.document(backup);
  output.say(`${visible(file)} contains the store as of ${takenAt}: ${bytes} bytes, checked, SHA-256 ${sha256}.`);
  output.say(
    `The key of the store, ${key}, is not in the backup: keep a copy of it elsewhere. Without the key, no password in the backup can be read.`,
  );
  output.say('Queries and their rows are not in the backup.');
  return exitCodes.ok;
}
