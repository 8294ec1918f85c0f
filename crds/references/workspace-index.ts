/** Finds the Workspace that a definition belongs to. */

import type { Definition, DefinitionOf, ObjectDefinition } from '../kinds/definition.ts';

type Workspace = DefinitionOf<'Workspace'>;

/** What a definition's workspaceRef comes to. `choices` are the Workspaces that it could have named. */
export type WorkspaceChoice =
  | { readonly found: Workspace }
  | { readonly problem: 'none-declared' | 'unknown' | 'ambiguous'; readonly choices: readonly Workspace[] };

export interface WorkspaceIndex {
  readonly choose: (definition: ObjectDefinition) => WorkspaceChoice;
  readonly workspaceOf: (definition: ObjectDefinition) => Workspace | undefined;
  readonly scopeOf: (definition: ObjectDefinition) => string;
}

/** Makes an index over the Workspaces among definitions. */
export function createWorkspaceIndex(definitions: Iterable<Definition>): WorkspaceIndex {
  const workspaces: Workspace[] = [];
  for (const definition of definitions) if (definition.kind === 'Workspace') workspaces.push(definition);

  function choose({ metadata, spec }: ObjectDefinition): WorkspaceChoice {
    // A Workspace of the same namespace goes first; a set without namespaces, or with one Workspace for all, has others.
    const near = workspaces.filter((workspace) => workspace.metadata.namespace === metadata.namespace);
    const choices = near.length > 0 ? near : workspaces;
    if (choices.length === 0) return { problem: 'none-declared', choices };
    const named =
      spec.workspaceRef === undefined
        ? choices
        : choices.filter((workspace) => workspace.metadata.name === spec.workspaceRef);
    const [found, second] = named;
    if (found === undefined) return { problem: 'unknown', choices };
    return second === undefined ? { found } : { problem: 'ambiguous', choices };
  }

  function workspaceOf(definition: ObjectDefinition): Workspace | undefined {
    const choice = choose(definition);
    return 'found' in choice ? choice.found : undefined;
  }

  return {
    choose,
    workspaceOf,
    scopeOf: (definition) => {
      const { name, namespace = '' } = workspaceOf(definition)?.metadata ?? {
        name: definition.spec.workspaceRef ?? '',
      };
      return `${namespace}/${name}`;
    },
  };
}
