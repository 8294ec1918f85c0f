import type { Client } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';

/** The identifier of the person with a username, in any case, or with this identifier. @throws CliError */
export async function findPersonId(client: Client, name: string): Promise<string> {
  const fold = (text: string) => text.normalize('NFC').toLowerCase();
  const people = await client.call('listPeople', {});
  const match = people.find(({ username }) => fold(username) === fold(name)) ?? people.find(({ id }) => id === name);
  if (match !== undefined) return match.id;
  throw new CliError('ERR_NOT_FOUND', `the workspace has no person ${visible(name)}`);
}
