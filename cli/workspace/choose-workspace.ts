import type { Definition, DefinitionOf } from '@rolecall/crds';
import { definitionLabel } from '../definitions/problems.ts';
import { CliError } from '../errors.ts';

type Workspace = DefinitionOf<'Workspace'>;

/**
 * The Workspace that a run is for.
 *
 * @param name as `--workspace` gives it
 * @returns undefined where none is declared: then flags or the environment must say where it is
 */
export function chooseWorkspace(definitions: readonly Definition[], name: string | undefined): Workspace | undefined {
  const declared = definitions.filter((definition) => definition.kind === 'Workspace');
  const names = declared.map(({ metadata }) => metadata.name).join(', ');
  if (name === undefined) {
    if (declared.length < 2) return declared[0];
    throw new CliError(
      'ERR_SEVERAL_WORKSPACES',
      `several Workspaces are declared: choose one with --workspace (${names})`,
    );
  }
  const [chosen, second] = declared.filter(({ metadata }) => metadata.name === name);
  if (chosen === undefined) {
    const choices = names === '' ? 'none is declared' : `declared are ${names}`;
    throw new CliError('ERR_NO_SUCH_WORKSPACE', `no Workspace is named ${name}: ${choices}`);
  }
  if (second !== undefined) {
    const places = `${chosen.source.file} and ${second.source.file}`;
    throw new CliError(
      'ERR_SEVERAL_WORKSPACES',
      `${definitionLabel(chosen)} is declared in ${places}: give only the files of one`,
    );
  }
  return chosen;
}
