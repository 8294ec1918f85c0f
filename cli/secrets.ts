import type { DefinitionOf } from '@rolecall/crds';
import type { SecretSource } from '@rolecall/reconcile';
import { describe, InvalidDefinitionsError, type ShownProblem } from './definitions.ts';
import type { Environment } from './io.ts';
import { lookUpSecret } from './secret-source.ts';

/**
 * Resolves the passwords of data sources before anything is called, so that a missing one costs nothing.
 *
 * @returns gives the engine the secrets that it asks for
 * @throws InvalidDefinitionsError with every secret that cannot be had
 */
export function resolveSecrets(
  dataSources: readonly DefinitionOf<'DataSource'>[],
  env: Environment,
): (source: SecretSource) => Promise<string> {
  const secrets = new Map<string, string>();
  const problems: ShownProblem[] = [];
  for (const definition of dataSources) {
    const source = sourceOf(definition);
    if (source === undefined) continue;
    const found = lookUpSecret(source, env);
    if ('secret' in found) secrets.set(keyOf(source), found.secret);
    else problems.push(problemOf(definition, found));
  }
  if (problems.length > 0) throw new InvalidDefinitionsError(problems);
  return (source) => {
    const secret = secrets.get(keyOf(source));
    // The engine knows only the sources of these definitions.
    return secret === undefined
      ? Promise.reject(new Error('a secret that no definition names'))
      : Promise.resolve(secret);
  };
}

function sourceOf({ spec: { passwordFrom } }: DefinitionOf<'DataSource'>): SecretSource | undefined {
  if (passwordFrom?.env !== undefined) return { env: passwordFrom.env };
  if (passwordFrom?.file !== undefined) return { file: passwordFrom.file };
  if (passwordFrom?.secretKeyRef !== undefined) return { secretKeyRef: passwordFrom.secretKeyRef };
  return undefined;
}

function keyOf(source: SecretSource): string {
  if ('secretKeyRef' in source) return JSON.stringify([source.secretKeyRef.name, source.secretKeyRef.key]);
  return JSON.stringify(source);
}

function problemOf(
  definition: DefinitionOf<'DataSource'>,
  { fault, remedy }: { fault: string; remedy: string },
): ShownProblem {
  const path = 'spec.passwordFrom';
  const { file, line } = definition.source;
  const message = `${path} of ${describe(definition)} ${fault}`;
  return { severity: 'error', code: 'secret_unavailable', file, line, column: 1, path, message, remedy };
}
