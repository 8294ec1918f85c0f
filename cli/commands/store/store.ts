import { visible } from '@rolecall/reconcile';
import { type Rekeyed, rekeyStore } from '@rolecall/server';
import type { CommonOptions, Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { counted } from '../../output/words.ts';
import { existingPlace } from '../../store/store-place.ts';

export interface RekeyOptions extends CommonOptions, StoreOptions {}

/** `rolecall store rekey`. */
export async function rekey({ io, output }: Context, options: RekeyOptions): Promise<ExitCode> {
  const rekeyed = await rekeyStore({ ...existingPlace(io.env, options), environment: io.env });
  const { resealed, source, hasOldKey } = rekeyed;
  output.document(rekeyed);
  output.say(describe(rekeyed));
  for (const id of resealed?.unreadable ?? []) {
    output.warn(
      'unreadable_uri',
      `the connection URI of the data source ${visible(id)} could not be opened before either: it was changed in the database. Delete the data source and declare it again`,
    );
  }
  output.say(
    hasOldKey
      ? `Now take the old key out of ${visible(source)}, at every replica: as long as it is there, an older copy of the store is taken for this one.`
      : `The new key is in ${visible(source)}: copy it to where you keep the key.`,
  );
  output.say('Backups from before need the old key: keep it as long as you keep them, apart from the service.');
  return exitCodes.ok;
}

function describe({ resealed, source, hasOldKey }: Rekeyed): string {
  if (resealed !== undefined) {
    return `The key of the store is changed: ${counted(resealed.dataSources, 'connection URI')}, all API keys and the end of the audit trail are sealed with the new one.`;
  }
  return hasOldKey
    ? `Nothing to do: the store has the second key of ${visible(source)} already.`
    : 'The key of the store was changed by an earlier run; this one has finished it.';
}
