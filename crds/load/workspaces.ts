/** Checks that every definition belongs to one Workspace. */

import type { Definition } from '../kinds/definition.ts';
import { createWorkspaceIndex } from '../references/workspace-index.ts';
import { type CrossIssue, errorAt, placeOf } from './problems.ts';
import { nearest } from './suggest.ts';

/** Finds the definitions whose workspaceRef names no Workspace, or several, if there are Workspaces. */
export function findWorkspaceIssues(definitions: readonly Definition[]): CrossIssue[] {
  const index = createWorkspaceIndex(definitions);
  return definitions.flatMap((definition) => {
    if (definition.kind === 'Workspace') return [];
    const choice = index.choose(definition);
    if ('workspace' in choice || choice.problem === 'none-declared') return [];
    const names = choice.choices.map(({ metadata }) => metadata.name);
    const path = ['spec', 'workspaceRef'];
    const wanted = definition.spec.workspaceRef;
    if (wanted === undefined) {
      const message = `is needed, since several Workspaces are declared: ${choice.choices.map(described).join(', ')}`;
      const remedy = `Add workspaceRef with one of ${names.join(', ')}.`;
      return [{ ...errorAt(path, 'workspace_ambiguous', message, remedy), source: definition.source }];
    }
    if (choice.problem === 'ambiguous') {
      const message = `names ${wanted}, but several Workspaces of that name are declared: ${choice.choices.map(described).join(', ')}`;
      const remedy = 'Give the definition the namespace of the one that is meant.';
      return [{ ...errorAt(path, 'workspace_ambiguous', message, remedy), source: definition.source }];
    }
    const near = nearest(wanted, names);
    const remedy = near === undefined ? `Write one of ${names.join(', ')}, or declare it.` : `Did you mean ${near}?`;
    const message = `names the Workspace ${wanted}, which is not declared`;
    return [{ ...errorAt(path, 'workspace_unknown', message, remedy), source: definition.source }];
  });
}

function described(workspace: Definition): string {
  return `${workspace.metadata.name} (${placeOf(workspace)})`;
}
