import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Definition } from '@rolecall/crds';
import { CliError } from '../errors.ts';
import { secretVariable } from '../secret-variable.ts';

/** The folder of the example in the repository, relative to the working directory as far as that is shorter. */
export function findExample(): string {
  const folder = join(dirname(findPackageJSON(import.meta.url) ?? ''), '../examples/acme');
  if (!existsSync(folder)) {
    throw new CliError(
      'ERR_NO_EXAMPLE',
      `the demonstration needs the examples of the repository, and there is no ${folder}`,
    );
  }
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
