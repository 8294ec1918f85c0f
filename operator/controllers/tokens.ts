/** By what objects of one workspace find each other: the names that they have, and those that they refer to. */

import type { ObjectDefinition } from '@rolecall/crds';
import { dataSourceKey, emailKey, personKey, roleKey } from '@rolecall/reconcile';

type Referable = 'Person' | 'Role' | 'DataSource';

/** A reference as it is written: a metadata.name, or a natural key. */
export interface Ref {
  readonly kind: Referable;
  readonly name: string;
}

export interface Tokens {
  /** What others may mean it by. */
  readonly own: readonly string[];
  readonly refs: readonly Ref[];
  /** The Secrets and ConfigMaps that it takes something from. */
  readonly sources: readonly string[];
}

const keys = { Person: personKey, Role: roleKey, DataSource: dataSourceKey } as const;

export const nameToken = (kind: Referable, name: string): string => `${kind} name ${name}`;
export const keyToken = (kind: Referable, key: string): string => `${kind} key ${keys[kind](key)}`;
export const emailToken = (email: string): string => `email ${emailKey(email)}`;
export const snippetToken = (name: string): string => `snippet ${name.normalize('NFC')}`;
export const sourceToken = (kind: 'secrets' | 'configmaps', name: string): string => `${kind}/${name}`;

/** Both that a reference may stand for. */
export const refTokens = ({ kind, name }: Ref): readonly string[] => [nameToken(kind, name), keyToken(kind, name)];

const refs = (kind: Referable, names: readonly (string | undefined)[] = []): Ref[] =>
  names.flatMap((name) => (name === undefined ? [] : [{ kind, name }]));

/** What an object has and refers to. */
export function tokensOf(definition: ObjectDefinition): Tokens {
  const { name } = definition.metadata;
  switch (definition.kind) {
    case 'Person': {
      const { username, email } = definition.spec;
      return {
        own: [nameToken('Person', name), keyToken('Person', username), emailToken(email)],
        refs: [],
        sources: [],
      };
    }
    case 'Role': {
      const { name: role, people, dataSources } = definition.spec;
      return {
        own: [nameToken('Role', name), keyToken('Role', role)],
        refs: [...refs('Person', people), ...refs('DataSource', dataSources)],
        sources: [],
      };
    }
    case 'DataSource': {
      const { alias, passwordFrom } = definition.spec;
      const secret = passwordFrom?.secretKeyRef?.name;
      return {
        own: [nameToken('DataSource', name), keyToken('DataSource', alias)],
        refs: [],
        sources: secret === undefined ? [] : [sourceToken('secrets', secret)],
      };
    }
    case 'RoleMembership': {
      const { role, person, dataSource } = definition.spec;
      return {
        own: [],
        refs: [...refs('Role', [role]), ...refs('Person', [person]), ...refs('DataSource', [dataSource])],
        sources: [],
      };
    }
    case 'Permission': {
      const { person, dataSource } = definition.spec;
      return { own: [], refs: [...refs('Person', [person]), ...refs('DataSource', [dataSource])], sources: [] };
    }
    case 'Snippet': {
      const { name: snippet, owner, textFrom } = definition.spec;
      const map = textFrom?.configMapKeyRef?.name;
      return {
        own: [snippetToken(snippet)],
        refs: [...refs('Person', [owner?.person]), ...refs('Role', [owner?.role])],
        sources: map === undefined ? [] : [sourceToken('configmaps', map)],
      };
    }
  }
}
