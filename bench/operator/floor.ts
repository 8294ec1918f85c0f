/** The time that the API server takes for the same writes without an operator: bare requests. */

import { percentile, round } from '../report/report.ts';
import { timeChanges } from './changes.ts';
import { sideBySide } from './cluster.ts';
import { type Installed, person } from './installed.ts';
import { names, objects, rate, seconds } from './size.ts';

/** Where nothing is any Workspace's. */
const namespace = 'floor';
const count = Math.min(objects, 2_000);

/** Two writes an object, as many side by side as the operator has: how many a second. */
export async function measureFloor({ cluster }: Installed): Promise<number> {
  await cluster.create(namespace, names(count).map(person));
  const started = performance.now();
  await sideBySide(names(count), async (name) => {
    await cluster.patch(namespace, 'Person', name, { metadata: { finalizers: ['rolecall.dev/workspace'] } });
    await cluster.patch(namespace, 'Person', name, ready(1), '/status');
  });
  return (2 * count) / ((performance.now() - started) / 1000);
}

/** Changes at the constant rate, each answered by a status as soon as a watch tells of it: the 99th percentile in milliseconds. */
export async function measureConstantFloor({ cluster }: Installed): Promise<number> {
  const answers: Promise<void>[] = [];
  await using _answering = await cluster.follow(namespace, 'Person', ({ object: { metadata, status } }) => {
    if (status?.observedGeneration === metadata.generation) return;
    answers.push(cluster.patch(namespace, 'Person', metadata.name, ready(metadata.generation), '/status'));
  });
  const latencies = await timeChanges(cluster, namespace, names(Math.min(count, rate * Math.min(seconds, 20))));
  await Promise.all(answers);
  return round(percentile(latencies, 0.99));
}

function ready(observedGeneration: number) {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');
  const message = 'The workspace is as declared.';
  const condition = { type: 'Ready', status: 'True', reason: 'Converged', message, observedGeneration };
  return { status: { observedGeneration, id: 'floor', conditions: [{ ...condition, lastTransitionTime }] } };
}
