import type { CrossIssue, DefinitionOf } from '@rolecall/crds';
import type { SecretSource } from '@rolecall/reconcile';
import { secretUnavailable } from '../definitions/problems.ts';
import type { Environment } from '../process/io.ts';
import { lookUpPassword } from './secret-source.ts';

interface Secrets {
  /** Resolves the secrets that the engine asks for. */
  resolve: (source: SecretSource) => Promise<string>;
  /** One for each secret that is not available. */
  issues: CrossIssue[];
}

/** Resolves the passwords of data sources before the first request, so that a missing one changes nothing. */
export function resolveSecrets(dataSources: readonly DefinitionOf<'DataSource'>[], env: Environment): Secrets {
  const secrets = new Map<string, string>();
  const issues: CrossIssue[] = [];
  for (const definition of dataSources) {
    const source = sourceOf(definition);
    if (source === undefined) continue;
    const lookup = lookUpPassword(source, env);
    if ('secret' in lookup) secrets.set(keyOf(source), lookup.secret);
    else issues.push(secretUnavailable(definition, ['spec', 'passwordFrom', ...Object.keys(source)], lookup));
  }
  const resolve: Secrets['resolve'] = (source) => {
    const secret = secrets.get(keyOf(source));
    // The engine knows only the sources of these definitions.
    return secret === undefined
      ? Promise.reject(new Error('a secret that no definition names'))
      : Promise.resolve(secret);
  };
  return { resolve, issues };
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
