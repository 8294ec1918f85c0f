import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, createClient, formatConnectionUri, parseConnectionUri } from '@rolecall/api';
import { formatProblem, loadDefinitions } from '@rolecall/crds';
import { converge, createView, desiredState, effectiveAccess, makePlan, readAccessFacts } from '@rolecall/reconcile';
import { startService } from '@rolecall/server';
import { type Composition, composeDefinitions } from '../../../../cli/commands/export/compose.ts';
import { readSnapshot } from '../../../../cli/commands/export/snapshot.ts';
import { onThisMachine } from '../../../support/guard.ts';
import { fillDataDir } from '../../../support/new-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A real service on a store of its own. */
export async function openWorkspace(): Promise<AsyncDisposable & { client: Client }> {
  const folder = temporaryFolder();
  const { id: keyId, secret: keySecret } = (await fillDataDir(folder.path, ['admin'])).admin;
  const service = await startService({ dataDir: folder.path, environment: {}, ...onThisMachine });
  const client = createClient({ url: service.url, keyId, keySecret });
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await service.close();
      folder[Symbol.dispose]();
    },
  };
}

/** The export of a workspace, as `rolecall export` would write it. */
export async function exportOf(client: Client, leavePasswords = false): Promise<Composition> {
  const snapshot = await readSnapshot(createView(client));
  return composeDefinitions(snapshot, { url: 'http://workspace.test', now: new Date(), leavePasswords });
}

/** Loads exported files as `validate`, `plan` and `apply` do, and plans them; they must be free of problems. */
export async function planOf({ files, variables }: Composition, client: Client) {
  using folder = temporaryFolder();
  for (const [name, text] of files) {
    mkdirSync(path.dirname(path.join(folder.path, name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), text);
  }
  const loaded = await loadDefinitions([folder.path]);
  // An export repeats the names and connections that the workspace has, with their warnings.
  const problems = loaded.problems.filter(({ code }) => code !== 'look_alike' && code !== 'tls_unchecked');
  assert.deepEqual(problems.map(formatProblem), []);
  const workspace = loaded.definitions.find((definition) => definition.kind === 'Workspace');
  const { state, errors } = desiredState(loaded.definitions, workspace);
  assert.deepEqual(errors, []);
  const passwords = new Map(variables.map(({ name }) => [name, password]));
  const options = {
    now: new Date(),
    overrides: [],
    salt: 'salt',
    workspace: { url: 'http://workspace.test' },
    resolveSecret: (source: object) => {
      const found = 'env' in source ? passwords.get(String(source.env)) : undefined;
      return found === undefined ? Promise.reject(new Error('no such variable')) : Promise.resolve(found);
    },
  };
  const plan = await makePlan(state, createView(client, { isWhole: true }), options);
  return { plan, apply: () => converge(plan, client, options) };
}

/** The password of every data source that has one. */
export const password = 'p/4:ss@w ö';

/** Fails unless plans of the export are empty: with the passwords left alone, and with the right ones set. */
export async function assertNothingToDo(client: Client): Promise<Composition> {
  for (const leavePasswords of [true, false]) {
    const { plan } = await planOf(await exportOf(client, leavePasswords), client);
    assert.deepEqual([plan.steps, plan.refusals], [[], []]);
  }
  const [one, other] = [await exportOf(client), await exportOf(client)];
  assert.deepEqual([...one.files], [...other.files]);
  return one;
}

/** Everything of a workspace that definitions say, without ids; permissions that are over give nothing. */
export async function contentOf(client: Client, now: Date) {
  const view = createView(client);
  const snapshot = await readSnapshot(view);
  const usernames = new Map(snapshot.people.map(({ id, username }) => [id, username]));
  const aliases = new Map(snapshot.dataSources.map(({ id, alias }) => [id, alias]));
  const facts = await readAccessFacts(view);
  const isLasting = ({ expiresAt }: { readonly expiresAt?: string | undefined }): boolean =>
    expiresAt === undefined || Date.parse(expiresAt) > now.getTime();
  const lasting = snapshot.permissions.filter(isLasting);
  // Since when someone is in a role cannot be carried over.
  const members = facts.roles.map((role) => ({
    ...role,
    people: role.people.map(({ key, windows }) => ({ key, ...(windows && { windows: windows.filter(isLasting) }) })),
    dataSources: role.dataSources.map(({ key }) => ({ key })),
  }));
  // Lasting ones may have begun when others were not over yet.
  const permissions = facts.permissions.filter(isLasting);
  const turns = snapshot.roles.flatMap(({ name, turns: all }) =>
    all
      .filter(({ window }) => isLasting(window))
      .map(({ person, window: { startsAt, expiresAt } }) => ({ name, person, startsAt, expiresAt })),
  );
  const times = new Set(
    [...lasting, ...turns].flatMap(({ startsAt = [], expiresAt = [] }) => [startsAt, expiresAt].flat()),
  );
  const instants = [now, ...[...times].map((time) => new Date(time))];
  const reach = (at: Date) =>
    effectiveAccess({ ...facts, permissions, roles: members }, at).map(
      (access) => `${at.toISOString()} ${usernames.get(access.person)} ${aliases.get(access.dataSource)}`,
    );
  return {
    people: snapshot.people.map(({ username, name, email, isLocked }) => [username, name, email, isLocked]).sort(),
    dataSources: await Promise.all(
      snapshot.dataSources.map(async ({ id, alias, name }) => {
        const { configUri } = await client.call('getDataSourceDetail', { params: { dataSource: id } });
        return [alias, name, formatConnectionUri(parseConnectionUri(configUri))];
      }),
    ).then((all) => all.sort()),
    roles: snapshot.roles
      .map(({ name, people, dataSources }) => [
        name,
        people.map((id) => usernames.get(id)).sort(),
        dataSources.map((id) => aliases.get(id)).sort(),
      ])
      .sort(),
    turns: turns
      .map(({ name, person, startsAt, expiresAt }) => [name, usernames.get(person), startsAt, expiresAt].join('|'))
      .sort(),
    permissions: [
      ...new Set(
        lasting.map((one) => [one.person.username, one.dataSource.alias, one.startsAt, one.expiresAt].join('|')),
      ),
    ].sort(),
    snippets: snapshot.snippets
      .map(({ activeVersion: { name, description, text }, isLocked, publicAccessLevel, ownerPerson, ownerRole }) =>
        JSON.stringify([name, description, text, isLocked, publicAccessLevel, ownerPerson?.username, ownerRole?.name]),
      )
      .sort(),
    access: [...new Set(instants.flatMap(reach))].sort(),
  };
}
