import type { KindName } from '@rolecall/crds';
import { composeDataSources, type Variable } from './data-sources.ts';
import { type ExportedDocument, fileText, type LeftOut, type Placed } from './document.ts';
import { inOrder } from './names.ts';
import { composePeople } from './people.ts';
import { composePermissions } from './permissions.ts';
import { composeRoles, nameRoles } from './roles.ts';
import type { Snapshot } from './snapshot.ts';
import { composeSnippets } from './snippets.ts';

export interface ComposeOptions {
  /** The address of the workspace, for its definition. */
  url: string;
  /** Time of the export: it leaves out permissions that have ended by then. */
  now: Date;
  /** Declare no passwords, so that plans leave those in the workspace alone. */
  leavePasswords: boolean;
}

/** A workspace as definitions. */
export interface Composition {
  /** Texts by path, relative to the folder of the export; paths have slashes. */
  files: Map<string, string>;
  /** Number of definitions, by kind. */
  counts: Map<KindName, number>;
  variables: Variable[];
  leftOut: LeftOut[];
  /** True if the key may not read connections, so that data sources are referred to and not declared. */
  connectionsDenied: boolean;
}

/** Writes a workspace down as a team would have by hand. The same snapshot gives the same bytes; no id is in them. */
export function composeDefinitions(snapshot: Snapshot, { url, now, leavePasswords }: ComposeOptions): Composition {
  const dataSources = composeDataSources(snapshot, { leavePasswords });
  const roleNames = nameRoles(snapshot.roles);
  const people = composePeople(snapshot, roleNames.names);
  const references = { people: people.references, dataSources: dataSources.references };
  const parts = [
    dataSources,
    people,
    composeRoles(snapshot, roleNames, references),
    composePermissions(snapshot.permissions, references, now),
    composeSnippets(snapshot.snippets, { people: people.references, roles: roleNames.names }),
  ];
  const leftOut = parts.flatMap((part) => part.leftOut);
  const workspace = { file: 'workspace.yaml', document: workspaceDocument(url, leftOut.length > 0) };
  const placed = [workspace, ...parts.flatMap((part) => part.placed)];
  const byKind = Map.groupBy(placed, ({ document }) => document.kind);
  return {
    files: textsOf(placed),
    counts: new Map([...byKind].map(([kind, { length }]) => [kind, length])),
    variables: dataSources.variables.sort((a, b) => inOrder(a.name, b.name)),
    leftOut,
    connectionsDenied: dataSources.denied && snapshot.dataSources.length > 0,
  };
}

/** Nothing is exact at first: what `export` could not declare, or what comes meanwhile, must not be removed. */
function workspaceDocument(url: string, isIncomplete: boolean): ExportedDocument {
  return {
    kind: 'Workspace',
    name: 'workspace',
    spec: { url },
    comment: [
      'What these files do not declare is left alone. To have it removed, name collections in the spec:',
      '  exact: [people, roles, dataSources, permissions, snippets]',
      ...(isIncomplete ? ['Not all of the workspace could be declared. Exact collections would remove the rest.'] : []),
    ],
  };
}

/** The order within a file: first the object that names it, then what belongs to that object; by name, permissions by time. */
function textsOf(placed: readonly Placed[]): Map<string, string> {
  const files = [...Map.groupBy(placed, ({ file }) => file)].sort(([a], [b]) => inOrder(a, b));
  return new Map(
    files.map(([file, documents]) => [
      file,
      headingOf(file) + fileText(documents.map(({ document }) => document).sort(inFileOrder)),
    ]),
  );
}

function headingOf(file: string): string {
  return file.startsWith('ended/')
    ? '# These permissions have ended and are kept for the record. Delete those that you no longer need.\n'
    : '';
}

const kindOrder: readonly KindName[] = [
  'Workspace',
  'DataSource',
  'Role',
  'Person',
  'RoleMembership',
  'Permission',
  'Snippet',
];

function inFileOrder(a: ExportedDocument, b: ExportedDocument): number {
  const kinds = kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind);
  // Permissions come sorted by their time, which says more than their names.
  return kinds !== 0 || a.kind === 'Permission' ? kinds : inOrder(a.name, b.name);
}
