/** A definition that was read and checked. */

import type { Metadata } from '../fields/metadata.ts';
import type { DataSourceSpec } from './data-source.ts';
import type { PermissionSpec } from './permission.ts';
import type { PersonSpec } from './person.ts';
import type { RoleSpec } from './role.ts';
import type { RoleMembershipSpec } from './role-membership.ts';
import type { SnippetSpec } from './snippet.ts';
import type { WorkspaceSpec } from './workspace.ts';

/** The normal form of each kind's spec. */
export interface Specs {
  Workspace: WorkspaceSpec;
  DataSource: DataSourceSpec;
  Person: PersonSpec;
  Role: RoleSpec;
  RoleMembership: RoleMembershipSpec;
  Permission: PermissionSpec;
  Snippet: SnippetSpec;
}

export type KindName = keyof Specs;

/** Place of a definition in its file. */
export interface Source {
  /** The path as named or found; `-` is standard input. */
  readonly file: string;
  /** The document's position in the file, from 0. */
  readonly document: number;
  /** The item's position, if the document is a list such as `kubectl get -o yaml` prints. */
  readonly item?: number;
  /** The first line, from 1. */
  readonly line: number;
}

export interface DefinitionOf<K extends KindName> {
  readonly kind: K;
  readonly metadata: Metadata;
  readonly spec: Specs[K];
  readonly source: Source;
}

/** A definition of any kind. */
export type Definition = { [K in KindName]: DefinitionOf<K> }[KindName];

/** A definition of an object inside a workspace: any kind except Workspace. */
export type ObjectDefinition = Exclude<Definition, DefinitionOf<'Workspace'>>;

/** True if a text, in YAML or JSON, contains a definition. A JSON Schema of definitions contains none. */
export function looksLikeDefinitions(text: string): boolean {
  return /\bapiVersion["']?\s*:\s*["']?rolecall\.dev\//.test(text);
}
