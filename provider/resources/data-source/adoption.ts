import { type DataSource, parseConnectionUri, readConnectionUri } from '@rolecall/api';
import { compareConnections, dataSourceKey, shortTime } from '@rolecall/reconcile';
import { refusal } from '../../plugin/framework/diagnostics.ts';
import type { PlanRequest, VerbContext } from '../../plugin/framework/resource.ts';
import { isUnknown, type ObjectValue } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { adopt, mayAdopt } from '../shared/adoption.ts';
import { describeChanges } from '../shared/engine.ts';
import { force, toKeepIt } from '../shared/forced-replacement.ts';
import { type NamedKind, subjectOf } from '../shared/lifecycle.ts';
import { needText, textOf } from '../shared/values.ts';
import { isPasswordDeclared, refuseLostPassword, withoutPassword } from './connection.ts';

type Context = VerbContext<Workspace>;
type Wanted = Pick<PlanRequest, 'planned' | 'config'>;

/** The kind of data sources: found by their alias, taken over and replaced. */
export const dataSources: NamedKind<DataSource> = {
  type: 'rolecall_data_source',
  noun: 'data source',
  collection: 'dataSources',
  attribute: 'alias',
  key: dataSourceKey,
  problem: 'alias_taken',
  list: (workspace, when) => (when === 'now' ? workspace.view() : workspace.before).dataSources(),
  force: forceDataSource,
  adopt: adoptDataSource,
};

/**
 * Takes a data source over, or says why not.
 *
 * @throws DiagnosticError where it may not be taken over, its connection not be read, or its password would be lost
 */
async function adoptDataSource(existing: DataSource, { planned, config }: Wanted, context: Context): Promise<void> {
  const { workspace } = context;
  const alias = needText(planned, 'alias');
  const subject = { ...subjectOf(dataSources, alias, existing.id), importId: alias };
  // Where it is not to be taken over, its connection is not read.
  const isAllowed = await mayAdopt(subject, planned, workspace);
  const changes = isAllowed ? await describeAdoption(existing.id, planned, config, workspace) : [];
  await adopt({ ...subject, changes }, planned, context);
  await refuseLostPassword(existing.id, planned, config, workspace);
}

/**
 * Describes the changes that taking a data source over makes, without a password.
 *
 * @throws DiagnosticError where the key may not read its connection, which the apply needs as well
 */
async function describeAdoption(
  id: string,
  planned: ObjectValue,
  config: ObjectValue,
  workspace: Workspace,
): Promise<readonly string[]> {
  const { name, configUri } = await workspace.view().dataSourceDetail(id);
  const from = withoutPassword(configUri);
  const [newName, uri] = [textOf(planned, 'name') ?? name, textOf(planned, 'uri')];
  const isSameUri =
    uri !== undefined && compareConnections(parseConnectionUri(uri), readConnectionUri(configUri)).length === 0;
  const connection = `its connection changes from ${from} to ${uri ?? 'what is known after the apply'}`;
  return [
    ...(newName === name ? [] : describeChanges([{ changes: [{ field: 'name', from: name, to: newName }] }])),
    ...(isSameUri ? [] : [connection]),
    ...passwordChange(configUri, planned, config),
  ];
}

function passwordChange(configUri: string, planned: ObjectValue, config: ObjectValue): readonly string[] {
  const password = [config['password_wo'] ?? null, planned['password'] ?? null].find((value) => value !== null);
  if (password === undefined) return [];
  if (isUnknown(password)) return ['its password becomes the declared one, which is not known yet'];
  return password === readConnectionUri(configUri).password ? [] : ['its password is replaced by the declared one'];
}

/**
 * Lets a data source be replaced though nothing of it changed.
 *
 * @throws DiagnosticError where a rail forbids it, or its password would be lost, as nothing declares it
 */
async function forceDataSource(id: string, { planned, config }: Wanted, context: Context): Promise<void> {
  const { before, view } = { before: context.workspace.before, view: context.workspace.view() };
  const dataSource = (await before.dataSources()).byId.get(id);
  if (dataSource === undefined) return;
  const name = dataSource.alias ?? dataSource.name;
  const refuse = async () => {
    if (isPasswordDeclared(planned, config)) return;
    if (readConnectionUri((await view.dataSourceDetail(id)).configUri).password === undefined) return;
    throw refusal(
      'The password would be lost',
      `The data source ${name} is tainted or to be replaced, and the workspace has a password for it that the configuration does not declare: the new one would have none. Declare password_wo with password_wo_version. ${toKeepIt}`,
      ['uri'],
    );
  };
  const fallout = async () => {
    const permissions = (await before.permissions()).all
      .filter(({ dataSource: { id: of } }) => of === id)
      .map(({ person, expiresAt }) => `of ${person.username} until ${shortTime(expiresAt)}`);
    const fall = permissions.length === 0 ? '' : ` and the permissions ${permissions.join(', ')}`;
    return `With that fall its places in roles${fall}.`;
  };
  await force(dataSources, { id, name, fallout, refuse }, planned, context);
}
