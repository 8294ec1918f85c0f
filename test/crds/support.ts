import assert from 'node:assert/strict';
import { checkDocument, type Definition, type DefinitionOf, type KindName } from '@rolecall/crds';

/** A definition without problems. */
export function define<K extends KindName>(
  kind: K,
  name: string,
  spec: object,
  namespace?: string,
  labels: Readonly<Record<string, string>> = {},
): DefinitionOf<K> {
  const metadata = { name, labels, ...(namespace === undefined ? {} : { namespace }) };
  const checked = checkDocument({ apiVersion: 'rolecall.dev/v1alpha1', kind, metadata, spec });
  assert.equal(checked.type, 'definition', JSON.stringify(checked));
  const { definition } = checked as { definition: Definition };
  assert.equal(definition.kind, kind);
  return definition as DefinitionOf<K>;
}

/** The paths of what is wrong with a spec, from the spec; empty when nothing is. */
export function wrongFields(kind: KindName, spec: object): string[] {
  const checked = checkDocument({ apiVersion: 'rolecall.dev/v1alpha1', kind, metadata: { name: 'x' }, spec });
  return checked.type === 'invalid' ? checked.issues.map(({ path }) => path.slice(1).join('.')) : [];
}
