import { type Report, round } from '../report.ts';
import { measureBurst, measureConstant, measureDeletions, measureSecret, measureSettled } from './changes.ts';
import { sideBySide } from './cluster.ts';
import { notes } from './figures.ts';
import { type Installed, install, person, team } from './installed.ts';
import { measurePermissions } from './permissions.ts';
import { names, objects } from './size.ts';
import { measureCold, measureFailover, measureRestart } from './starts.ts';

type Figures = Record<string, number>;

export async function measureOperator(folder: string): Promise<Report> {
  await using installed = await install(folder);
  const figures: Figures = {};
  const add = (more: Figures): void => {
    Object.assign(figures, more);
    say(JSON.stringify(more));
  };
  const { cluster } = installed;
  await cluster.create(team, names(objects).map(person));
  const cold = await measureCold(installed);
  // After it: the peer's figure is that of an API server in which nothing has been yet.
  const floorPerSecond = await measureFloor(installed);
  add({
    ...cold,
    floorPerSecond: round(floorPerSecond),
    coldToFloor: round((cold.coldSeconds * floorPerSecond) / (2 * objects)),
  });
  const operator = installed.startOperator();
  add(await measureRestart(installed, operator));
  add(await measureBurst(installed, operator));
  add(await measureConstant(installed, operator));
  add(await measureSettled(installed, operator));
  add(await measureSecret(installed));
  add(await measureDeletions(installed, operator));
  add(await measurePermissions(installed));
  add(await measureFailover(installed, operator));
  return { name: 'operator', figures, notes };
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Bare writes to the same API server, two an object, as many side by side as the operator has. */
async function measureFloor({ cluster }: Installed): Promise<number> {
  const count = Math.min(objects, 2_000);
  await cluster.create('floor', names(count).map(person));
  const started = performance.now();
  await sideBySide(names(count), async (name) => {
    await cluster.patch('floor', 'Person', name, { metadata: { finalizers: ['rolecall.dev/workspace'] } });
    const lastTransitionTime = new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');
    const message = 'The workspace is as declared.';
    const condition = { type: 'Ready', status: 'True', reason: 'Converged', message, observedGeneration: 1 };
    const status = { observedGeneration: 1, id: 'floor', conditions: [{ ...condition, lastTransitionTime }] };
    await cluster.patch('floor', 'Person', name, { status }, '/status');
  });
  return (2 * count) / ((performance.now() - started) / 1000);
}
