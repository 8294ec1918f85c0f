import { parseConnectionUri, readConnectionUri } from '@rolecall/api';
import { compareConnections } from '@rolecall/reconcile';
import { isUnknown, type ObjectValue, type Value } from '../values/value.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { changeOf } from './adoption.ts';
import { withoutPassword } from './data-source-uri.ts';
import { textOf } from './values.ts';

/**
 * What taking a data source over changes of it, in words without a password.
 *
 * @throws DiagnosticError where the key may not read its connection, which the apply needs as well
 */
export async function describeAdoption(
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
