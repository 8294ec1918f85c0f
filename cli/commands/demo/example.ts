import { relative } from 'node:path';
import type { Definition } from '@rolecall/crds';
import { examplesFolder } from '../../files/examples-folder.ts';
import { secretVariable } from '../../secrets/secret-variable.ts';

/** The folder of the example, relative to the working directory as far as that is shorter. */
export function findExample(): string {
  const folder = examplesFolder('acme');
  const shown = relative(process.cwd(), folder);
  return shown.length < folder.length && shown !== '' ? shown : folder;
}

/** Values for the variables from which the example takes its passwords. Nothing connects to its databases. */
export function harmlessPasswords(definitions: readonly Definition[]): Record<string, string> {
  const names = definitions.flatMap((definition) => {
    const from = definition.kind === 'DataSource' ? definition.spec.passwordFrom : undefined;
    if (from?.env !== undefined) return [from.env];
    return from?.secretKeyRef === undefined ? [] : [secretVariable(from.secretKeyRef.name, from.secretKeyRef.key)];
  });
  return Object.fromEntries(names.map((name) => [name, 'not-a-real-password']));
}
