/** Finds the Workspace that a definition belongs to. */

import type { Definition, DefinitionOf, ObjectDefinition } from '../kinds/definition.ts';

type Workspace = DefinitionOf<'Workspace'>;

/** Choice that a definition's workspaceRef comes to. `choices` are the Workspaces that it could have named. */
export type WorkspaceChoice =
  | { readonly workspace: Workspace }
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

  function choose(namespace: string | undefined, workspaceRef: string | undefined): WorkspaceChoice {
    // A Workspace of the same namespace goes first; a set without namespaces, or with one Workspace for all, has others.
    const near = workspaces.filter((workspace) => workspace.metadata.namespace === namespace);
    const choices = near.length > 0 ? near : workspaces;
    if (choices.length === 0) return { problem: 'none-declared', choices };
    const named =
      workspaceRef === undefined ? choices : choices.filter((workspace) => workspace.metadata.name === workspaceRef);
    const [match, second] = named;
    if (match === undefined) return { problem: 'unknown', choices };
    return second === undefined ? { workspace: match } : { problem: 'ambiguous', choices };
  }

  // Thousands of definitions have the same namespace and the same workspaceRef.
  const choicesByNamespace = new Map<string | undefined, Map<string | undefined, Chosen>>();
  function chosen({ metadata: { namespace }, spec: { workspaceRef } }: ObjectDefinition): Chosen {
    const ofNamespace = choicesByNamespace.get(namespace) ?? new Map<string | undefined, Chosen>();
    const cached = ofNamespace.get(workspaceRef);
    if (cached !== undefined) return cached;
    const choice = choose(namespace, workspaceRef);
    const workspace = 'workspace' in choice ? choice.workspace : undefined;
    const { name, namespace: of = '' } = workspace?.metadata ?? { name: workspaceRef ?? '' };
    const made = { choice, workspace, scope: `${of}/${name}` };
    choicesByNamespace.set(namespace, ofNamespace.set(workspaceRef, made));
    return made;
  }

  return {
    choose: (definition) => chosen(definition).choice,
    workspaceOf: (definition) => chosen(definition).workspace,
    scopeOf: (definition) => chosen(definition).scope,
  };
}

interface Chosen {
  readonly choice: WorkspaceChoice;
  readonly workspace: Workspace | undefined;
  readonly scope: string;
}
