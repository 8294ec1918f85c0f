/** The story, chapter by chapter. Each thing that is said was looked up in the workspace or the API server just before. */

import { parseConnectionUri } from '@rolecall/api';
import { ask, type KubeObject } from '../../test/support/kubernetes/admin-client.ts';
import { apply, get, isReady, readExample, ready, remove, until } from './play.ts';
import { namespace, type Stage } from './stage.ts';

/** Says that something was seen to be true. */
export type Tell = (seen: string) => void;

export interface Chapter {
  readonly title: string;
  /** @throws when something is not as it is told */
  readonly play: (stage: Stage, tell: Tell) => Promise<void>;
}

const ours = (kind: string, name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'rolecall.dev/v1alpha1',
  kind,
  metadata: { name, namespace },
  spec,
});

const personNamed = async ({ workspace }: Stage, username: string) =>
  (await workspace.call('listPeople', {})).find((one) => one.username === username);

async function passwordOf({ workspace }: Stage, alias: string): Promise<string | undefined> {
  const found = (await workspace.call('listDataSources', {})).find((one) => one.alias === alias);
  if (found === undefined) return undefined;
  const { configUri } = await workspace.call('getDataSourceDetail', { params: { dataSource: found.id } });
  return parseConnectionUri(configUri).password;
}

async function countAll({ workspace }: Stage): Promise<Record<string, number>> {
  const [people, dataSources, roles, permissions, snippets] = await Promise.all([
    workspace.call('listPeople', {}),
    workspace.call('listDataSources', {}),
    workspace.call('listRoles', {}),
    workspace.call('listPermissions', {}),
    workspace.call('listSnippets', {}),
  ]);
  return {
    people: people.length,
    'data sources': dataSources.length,
    roles: roles.length,
    permissions: permissions.length,
    snippets: snippets.length,
  };
}

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const chapters: readonly Chapter[] = [
  {
    title: 'The definitions of examples/kubernetes/access are applied',
    async play(stage, tell) {
      const objects = await readExample(stage);
      for (const object of objects) await apply(object, stage);
      const definitions = objects.filter(({ kind }) => kind !== 'ConfigMap');
      for (const object of definitions)
        await until(`${object.kind ?? ''}/${object.metadata.name} is Ready`, () => isReady(object, stage), stage);
      tell(`all ${definitions.length} objects are Ready`);
      const counts = await countAll(stage);
      const declared = (kind: string): number => definitions.filter((one) => one.kind === kind).length;
      const expected = [declared('Person'), declared('DataSource'), declared('Role'), declared('Permission')];
      if (String(Object.values(counts).slice(0, 4)) !== String(expected))
        throw new Error(`there are ${listed(counts)}`);
      tell(`the workspace has ${listed(counts)}`);
    },
  },
  {
    title: 'Somebody locks Ada out by hand, past Git',
    async play(stage, tell) {
      const ada = await personNamed(stage, 'ada');
      await stage.workspace.call('lockPerson', { params: { person: ada?.id ?? '' } });
      tell('the workspace has locked her');
      const took = await until(
        'Ada can sign in again',
        async () => (await personNamed(stage, 'ada'))?.isLocked === false,
        stage,
      );
      tell(`the operator put it right ${inSeconds(took)} later`);
    },
  },
  {
    title: 'Grace gets six seconds of billing, for an incident',
    async play(stage, tell) {
      const grant = ours('Permission', 'grace-billing-incident', {
        person: 'grace',
        dataSource: 'billing',
        duration: '6s',
        reason: 'INC-1',
      });
      await apply(grant, stage);
      const state = async (): Promise<unknown> => (await get(grant, stage))?.status?.['state'];
      await until(
        'the permission is in force',
        async () => (await isReady(grant, stage)) && (await state()) === 'Active',
        stage,
      );
      const found = (await stage.workspace.call('listPermissions', {})).find(
        ({ person }) => person.username === 'grace',
      );
      if (typeof found?.expiresAt !== 'string') throw new Error('the workspace has no such permission');
      const end = Date.parse(found.expiresAt);
      tell(`the workspace lets her in until ${found.expiresAt}`);
      for (let left = end - Date.now(); left > 0; left = end - Date.now()) {
        const isActive = (await state()) === 'Active';
        if (!isActive && Date.now() < end) throw new Error('it ended too early');
        process.stdout.write(`    ${Math.ceil(left / 1000)} s left\n`);
        await new Promise((resolve) => setTimeout(resolve, Math.min(left, 1_000)));
      }
      await until('the permission is over', async () => (await state()) === 'Expired', stage);
      tell(`Expired, ${inSeconds(Date.now() - end)} after its moment`);
    },
  },
  {
    title: 'The password of billing is rotated in its Secret',
    async play(stage, tell) {
      if ((await passwordOf(stage, 'billing')) !== 'a first password')
        throw new Error('the first password is not there');
      const place = `/api/v1/namespaces/${namespace}/secrets/billing-db`;
      const stringData = { password: 'a rotated password' };
      await ask(stage.kube, 'PATCH', place, { stringData }, 'application/merge-patch+json');
      const took = await until(
        'the workspace has the new password',
        async () => (await passwordOf(stage, 'billing')) === 'a rotated password',
        stage,
      );
      tell(`the workspace connects with the new one ${inSeconds(took)} later`);
    },
  },
  {
    title: 'A role names somebody who does not exist',
    async play(stage, tell) {
      const role = ours('Role', 'auditors', { people: ['ada', 'nobody'] });
      await apply(role, stage);
      await until('the role says what is missing', async () => (await ready(role, stage))?.status === 'False', stage);
      const message = (await ready(role, stage))?.message ?? '';
      if (!message.includes('nobody')) throw new Error(`it says: ${message}`);
      tell(message);
      await apply(ours('Role', 'auditors', { people: ['ada'] }), stage);
      await until('the role is Ready', () => isReady(role, stage), stage);
      tell('mended, it is Ready');
      await remove(role, stage);
    },
  },
  {
    title: 'Everything is deleted again',
    async play(stage, tell) {
      const objects = [...(await readExample(stage)), ours('Permission', 'grace-billing-incident')];
      const workspaceLast = objects.toSorted((a, b) => Number(a.kind === 'Workspace') - Number(b.kind === 'Workspace'));
      for (const object of workspaceLast) await remove(object, stage);
      for (const object of objects)
        await until(
          `${object.kind ?? ''}/${object.metadata.name} is gone`,
          async () => (await get(object, stage)) === undefined,
          stage,
        );
      tell('no object is left in the cluster');
      const counts = await countAll(stage);
      if (Object.values(counts).some((count) => count > 0)) throw new Error(`there are still ${listed(counts)}`);
      tell(`the workspace has ${listed(counts)}`);
    },
  },
];
