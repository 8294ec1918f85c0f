/** A definition that has been read and checked. */

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

/** Where a definition was read. */
export interface Source {
  /** As it was named or found; `-` is standard input. */
  readonly file: string;
  /** Which document of the file, from 0. */
  readonly document: number;
  /** Which item, where the document is a list such as `kubectl get -o yaml` prints. */
  readonly item?: number;
  /** The line on which it begins, from 1. */
  readonly line: number;
}

export interface DefinitionOf<K extends KindName> {
  readonly kind: K;
  readonly metadata: Metadata;
  readonly spec: Specs[K];
  readonly source: Source;
}

/** A definition of any kind; `kind` tells which. */
export type Definition = { [K in KindName]: DefinitionOf<K> }[KindName];

/** What is declared inside a workspace: everything but the workspaces themselves. */
export type ObjectDefinition = Exclude<Definition, DefinitionOf<'Workspace'>>;

/** Whether a text, in YAML or JSON, has a definition in it. A JSON Schema of definitions has none. */
export function looksLikeDefinitions(text: string): boolean {
  return /\bapiVersion["']?\s*:\s*["']?rolecall\.dev\//.test(text);
}
