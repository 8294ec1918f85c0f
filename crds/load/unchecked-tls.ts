import { findTlsWeakness } from '@rolecall/api';
import type { Definition } from '../kinds/definition.ts';
import { type CrossIssue, warningAt } from './problems.ts';

/** Other data sources that the warning names, at most. */
const mostNamed = 10;

/**
 * Warns of data sources whose connection leaves this machine without TLS, or with TLS to a server whose certificate is not
 * checked. It is one warning for all of them, since every command that reads definitions shows it.
 */
export function findUncheckedTls(definitions: readonly Definition[]): CrossIssue[] {
  const weak = definitions.flatMap((definition) => {
    if (definition.kind !== 'DataSource') return [];
    const weakness = findTlsWeakness(definition.spec.uri);
    return weakness === undefined ? [] : [{ definition, ...weakness }];
  });
  const [first, ...others] = weak;
  if (first === undefined) return [];
  const names = others.slice(0, mostNamed).map(({ definition }) => definition.metadata.name);
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : '';
  const rest = others.length === 0 ? '' : `; nor is the TLS checked of ${names.join(', ')}${more}`;
  const remedy = `Add ${first.remedy} to the URI.`;
  const issue = warningAt(['spec', 'uri'], 'tls_unchecked', `${first.weakness}${rest}`, remedy);
  return [{ ...issue, source: first.definition.source }];
}
