import { type DataSource, parseConnectionUri, readConnectionUri } from '@rolecall/api';
import { compareConnections } from '@rolecall/reconcile';
import type { Applied, VerbContext } from '../framework/resource.ts';
import { isUnknown, type ObjectValue, type Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { adopt, changeOf } from './adoption.ts';
import { keptPassword, passwordIn, remember } from './data-source-password.ts';
import { applied } from './data-source-state.ts';
import { withoutPassword, withPassword } from './data-source-uri.ts';
import { needText, textOf } from './values.ts';

/** How a message names a data source, and the attribute that it points to. */
export const held = (alias: string) => ({ what: `the data source ${alias}`, path: ['alias'] });

/**
 * Takes a data source over, or says why not.
 *
 * @throws DiagnosticError where it may not be taken over, or its connection not be read
 */
export async function adoptDataSource(
  alias: string,
  id: string,
  planned: Readonly<Record<string, Value>>,
  config: ObjectValue,
  { workspace, report }: VerbContext<Workspace>,
): Promise<void> {
  // Where it is not to be taken over, its connection is nobody's business.
  const changes =
    (planned['adopt'] ?? workspace.adopts) === true ? await describeAdoption(id, planned, config, workspace) : [];
  adopt({ ...held(alias), id, importId: alias, changes }, planned, workspace, report);
}

/**
 * Brings an adopted data source to what is declared, by one call at most.
 *
 * @throws DiagnosticError where its password would be lost
 */
export async function takeOverDataSource(
  existing: DataSource,
  planned: ObjectValue,
  config: ObjectValue,
  workspace: Workspace,
): Promise<Applied> {
  workspace.adopted.add(existing.id);
  const detail = await workspace.view().dataSourceDetail(existing.id);
  const current = readConnectionUri(detail.configUri);
  const uri = needText(planned, 'uri');
  const password = passwordIn(planned, config);
  if (password === undefined) keptPassword(uri, detail.configUri);
  const isOtherPassword = password !== undefined && password !== current.password;
  const body = {
    ...(detail.name === planned['name'] ? {} : { name: needText(planned, 'name') }),
    ...(isOtherPassword || compareConnections(parseConnectionUri(uri), current).length > 0
      ? { configUri: withPassword(uri, password) }
      : {}),
  };
  const changed =
    Object.keys(body).length === 0
      ? detail
      : await workspace.call('updateDataSource', { params: { dataSource: existing.id }, body });
  return applied(changed, planned, remember(changed, textOf(config, 'password_wo')));
}

/**
 * What taking a data source over changes of it, in words without a password.
 *
 * @throws DiagnosticError where the key may not read its connection, which the apply needs as well
 */
async function describeAdoption(
  id: string,
  planned: Readonly<Record<string, Value>>,
  config: ObjectValue,
  workspace: Workspace,
): Promise<readonly string[]> {
  const { name, configUri } = await workspace.view().dataSourceDetail(id);
  return [
    ...changeOf('name', name, planned['name']),
    ...connectionChange(configUri, planned),
    ...passwordChange(configUri, planned, config),
  ];
}

function connectionChange(configUri: string, planned: Readonly<Record<string, Value>>): readonly string[] {
  const uri = textOf(planned, 'uri');
  const from = withoutPassword(configUri);
  if (uri === undefined) return [`its connection, ${from}, becomes what is known after the apply`];
  const isSame = compareConnections(parseConnectionUri(uri), readConnectionUri(configUri)).length === 0;
  return isSame ? [] : [`its connection changes from ${from} to ${uri}`];
}

function passwordChange(
  configUri: string,
  planned: Readonly<Record<string, Value>>,
  config: ObjectValue,
): readonly string[] {
  const declared = [config['password_wo'] ?? null, planned['password'] ?? null].find((value) => value !== null);
  if (declared === undefined) return [];
  if (isUnknown(declared)) return ['its password becomes the declared one, which is not known yet'];
  return declared === readConnectionUri(configUri).password ? [] : ['its password is replaced by the declared one'];
}
