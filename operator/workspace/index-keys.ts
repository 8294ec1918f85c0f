/** By what objects of one workspace find each other: the names that they have, and those that they refer to. */

import type { ObjectDefinition } from '@rolecall/crds';
import { dataSourceKey, emailKey, personKey, roleKey } from '@rolecall/reconcile';
import type { Status } from '../resources/custom-object.ts';
import { anchor } from '../status/permission-window.ts';

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

/**
 * The moments at which a permission ends: as it is declared, and as it was granted, which differ where its window was changed. One
 * that is yet to begin has its length instead.
 */
export function endTokens(definition: ObjectDefinition, status: Status): readonly string[] {
  if (definition.kind !== 'Permission') return [];
  const { durationSeconds } = definition.spec;
  if (durationSeconds !== undefined && status.startsAt === undefined) return [`lasts ${durationSeconds} s`];
  const ends = [anchor(definition, { status }, 0).spec.expiresAt, status.expiresAt];
  return [...new Set(ends.flatMap((end) => (end === undefined ? [] : [`ends ${end}`])))];
}

/** Both that a reference may stand for. */
export const refTokens = ({ kind, name }: Ref): readonly string[] => [nameToken(kind, name), keyToken(kind, name)];

const refs = (kind: Referable, names: readonly (string | undefined)[] = []): Ref[] =>
  names.flatMap((name) => (name === undefined ? [] : [{ kind, name }]));

/** Shared: of ten thousand objects, an empty list each is a megabyte. */
const none: readonly never[] = [];

/** What an object has and refers to. */
export function tokensOf(definition: ObjectDefinition): Tokens {
  const { name } = definition.metadata;
  switch (definition.kind) {
    case 'Person': {
      const { username, email } = definition.spec;
      return {
        own: [nameToken('Person', name), keyToken('Person', username), emailToken(email)],
        refs: none,
        sources: none,
      };
    }
    case 'Role': {
      const { name: role, people, dataSources } = definition.spec;
      return {
        own: [nameToken('Role', name), keyToken('Role', role)],
        refs: [...refs('Person', people), ...refs('DataSource', dataSources)],
        sources: none,
      };
    }
    case 'DataSource': {
      const { alias, passwordFrom } = definition.spec;
      const secret = passwordFrom?.secretKeyRef?.name;
      return {
        own: [nameToken('DataSource', name), keyToken('DataSource', alias)],
        refs: none,
        sources: secret === undefined ? none : [sourceToken('secrets', secret)],
      };
    }
    case 'RoleMembership': {
      const { role, person, dataSource } = definition.spec;
      return {
        own: none,
        refs: [...refs('Role', [role]), ...refs('Person', [person]), ...refs('DataSource', [dataSource])],
        sources: none,
      };
    }
    case 'Permission': {
      const { person, dataSource } = definition.spec;
      return { own: none, refs: [...refs('Person', [person]), ...refs('DataSource', [dataSource])], sources: none };
    }
    case 'Snippet': {
      const { name: snippet, owner, textFrom } = definition.spec;
      const map = textFrom?.configMapKeyRef?.name;
      return {
        own: [snippetToken(snippet)],
        refs: [...refs('Person', [owner?.person]), ...refs('Role', [owner?.role])],
        sources: map === undefined ? none : [sourceToken('configmaps', map)],
      };
    }
  }
}
