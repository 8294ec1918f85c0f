import { readConnectionUri } from '@rolecall/api';
import { DiagnosticError, failure } from '../framework/diagnostics.ts';
import type { VerbContext } from '../framework/resource.ts';
import type { ObjectValue, Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { describeDataSourceFallout } from './data-source-fallout.ts';
import { isPasswordDeclared } from './data-source-password.ts';
import { force, toKeepIt } from './forced-replacement.ts';

/**
 * Lets a data source be replaced though nothing of it changed, unless a rail forbids it.
 *
 * @throws DiagnosticError likewise where its password would be lost, as nothing declares it
 */
export async function forceDataSource(
  id: string,
  planned: Readonly<Record<string, Value>>,
  config: ObjectValue,
  context: VerbContext<Workspace>,
): Promise<void> {
  const { workspace } = context;
  const found = (await workspace.before.dataSources()).byId.get(id);
  if (found === undefined) return;
  const name = found.alias ?? found.name;
  const refuse = async () => {
    if (isPasswordDeclared(planned, config)) return;
    const { configUri } = await workspace.view().dataSourceDetail(id);
    if (readConnectionUri(configUri).password === undefined) return;
    throw new DiagnosticError(
      failure(
        'The password would be lost',
        `The data source ${name} is tainted or to be replaced, and the workspace has a password for it that the configuration does not declare: the new one would have none. Declare password_wo with password_wo_version. ${toKeepIt}`,
        ['uri'],
      ),
    );
  };
  const fallout = () => describeDataSourceFallout(id, workspace);
  await force({ kind: 'data source', id, name, path: ['alias'], fallout, refuse }, planned, context);
}
