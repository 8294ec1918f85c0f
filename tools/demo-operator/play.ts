/** What the chapters of the demonstration do and look at. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { kindNames, kinds } from '@rolecall/crds';
import { parseAllDocuments } from 'yaml';
import { ask, type KubeObject, kindPath } from '../../test/support/kubernetes/admin-client.ts';
import { namespace, type Stage } from './stage.ts';

export const examples = path.resolve(import.meta.dirname, '../../examples/kubernetes/access');

/** How long something may take before the demonstration has failed. */
const patienceMs = 60_000;

/** Waits until a check holds, as long as the operator runs. @returns how long that took, in milliseconds */
export async function until(what: string, holds: () => Promise<boolean>, { operator }: Stage): Promise<number> {
  const begun = performance.now();
  const isOver = (): boolean => performance.now() - begun > patienceMs;
  while (!(await Promise.race([holds(), operator]))) {
    if (isOver()) throw new Error(`not within ${patienceMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return performance.now() - begun;
}

const pathOf = ({ kind = '', metadata: { name } }: KubeObject): string => {
  const known = kindNames.find((one) => one === kind);
  return known === undefined
    ? `/api/v1/namespaces/${namespace}/configmaps/${name}`
    : kindPath(kinds[known].plural, name, namespace);
};

/** Gives an object to the API server, as `kubectl apply --server-side` does. */
export async function apply(object: KubeObject, { kube }: Stage): Promise<void> {
  const place = `${pathOf(object)}?fieldManager=demo&force=true`;
  await ask(kube, 'PATCH', place, object, 'application/apply-patch+yaml');
}

/** The objects of the example, whose Workspace is the one that runs here. */
export async function readExample({ url }: Stage): Promise<KubeObject[]> {
  const files = (await readdir(examples)).filter((file) => file.endsWith('.yaml')).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(path.join(examples, file), 'utf8')));
  // The tests of the examples hold that each of them is an object.
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as KubeObject));
  return objects.map((object) => (object.kind === 'Workspace' ? { ...object, spec: { ...object.spec, url } } : object));
}

export async function get(object: KubeObject, { kube }: Stage): Promise<KubeObject | undefined> {
  const { status, body } = await kube.call('GET', pathOf(object));
  return status === 404 ? undefined : body;
}

export async function remove(object: KubeObject, { kube }: Stage): Promise<void> {
  await ask(kube, 'DELETE', pathOf(object));
}

/** The condition Ready, where it is about the present generation. */
export async function ready(
  object: KubeObject,
  stage: Stage,
): Promise<{ status: string; message: string } | undefined> {
  const now = await get(object, stage);
  const conditions = (now?.status?.['conditions'] ?? []) as { type: string; status: string; message: string }[];
  const isCurrent = now?.status?.['observedGeneration'] === now?.metadata.generation;
  return isCurrent ? conditions.find(({ type }) => type === 'Ready') : undefined;
}

export const isReady = async (object: KubeObject, stage: Stage): Promise<boolean> =>
  (await ready(object, stage))?.status === 'True';
