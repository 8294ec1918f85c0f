import { type Report, round } from '../report.ts';
import { measureBurst, measureConstant, measureDeletions, measureSecret, measureSettled } from './changes.ts';
import { notes } from './figures.ts';
import { measureConstantFloor, measureFloor } from './floor.ts';
import { install, person, team } from './installed.ts';
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
  const constant = await measureConstant(installed, operator);
  const constantFloorP99Ms = await measureConstantFloor(installed);
  add({ ...constant, constantFloorP99Ms, constantToFloor: round(constant.constantP99Ms / constantFloorP99Ms) });
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
