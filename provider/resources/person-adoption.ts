import type { Person } from '@rolecall/api';
import { emailKey, personKey } from '@rolecall/reconcile';
import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import type { VerbContext } from '../framework/resource.ts';
import type { Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { adopt, lockChange } from './adoption.ts';
import { textOf } from './values.ts';

const nfc = (text: string): string => text.normalize('NFC');

/** The attributes that identify a person, which the service cannot edit, and when two of their values are the same. */
export const identity = { username: personKey, name: nfc, email: emailKey } as const;

/** How a message names a person, and the attribute that it points to. */
export const held = (username: string) => ({ what: `the person ${username}`, path: ['username'] });

/** Takes a person over, or says why not. */
export function adoptPerson(
  { id, username, isLocked }: Person,
  planned: Readonly<Record<string, Value>>,
  { workspace, report }: VerbContext<Workspace>,
): void {
  const changes = lockChange(isLocked, planned);
  adopt({ ...held(username), id, importId: username, changes }, planned, workspace, report);
}

/**
 * A person who is there under another name or address cannot become the one that is declared.
 *
 * @throws DiagnosticError that names what differs
 */
export function refuseDifferent(existing: Person, planned: Readonly<Record<string, Value>>): void {
  const values = { username: existing.username, name: existing.name, email: existing.email };
  for (const [name, fold] of Object.entries(identity)) {
    const declared = textOf(planned, name);
    const found = values[name as keyof typeof values];
    if (declared === undefined || fold(declared) === fold(found)) continue;
    throw new DiagnosticError(
      failure(
        `The person ${existing.username} is another one`,
        `The workspace has ${existing.username} already (id ${existing.id}), with the ${name} ${found} where the configuration says ${declared}; people cannot be edited. Write ${found}, choose another username, or delete that person first.`,
        [name],
      ),
    );
  }
}
