import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Report, round } from '../report/report.ts';
import { measureBurst, measureConstant, measureDeletions, measureSecret, measureSettled } from './changes.ts';
import { besidePeer, bounds, notes } from './figures.ts';
import { measureConstantFloor, measureFloor } from './floor.ts';
import { type Installed, install, person, team } from './installed.ts';
import { buildPeer } from './peer.ts';
import { measurePermissions } from './permissions.ts';
import { bundleOperator, type OperatorProcess, type Program } from './process.ts';
import { names, objects } from './size.ts';
import { measureCold, measureFailover, measureRestart } from './starts.ts';

type Figures = Record<string, number>;

/** An operator, with an API server and a service of its own. */
interface Side {
  readonly who: string;
  readonly installed: Installed;
  readonly figures: Figures;
  operator?: OperatorProcess;
}

interface Phase {
  readonly measure: (side: Side) => Promise<Figures>;
  /** The measurements without the Go operator. */
  readonly isOursAlone?: true;
}

const phases: readonly Phase[] = [
  { measure: cold },
  // After it: to both, the API server is one in which nothing has been yet.
  { measure: floor, isOursAlone: true },
  { measure: restart },
  { measure: (side) => measureBurst(side.installed, running(side)) },
  { measure: (side) => measureConstant(side.installed, running(side)) },
  { measure: constantFloor, isOursAlone: true },
  { measure: (side) => measureSettled(side.installed, running(side)) },
  { measure: ({ installed }) => measureSecret(installed), isOursAlone: true },
  { measure: (side) => measureDeletions(side.installed, running(side)) },
  { measure: ({ installed }) => measurePermissions(installed), isOursAlone: true },
  { measure: (side) => measureFailover(side.installed, running(side)) },
];

/** Both operators do the same work, one right after the other, because the speed of the machine changes within minutes. */
export async function measureOperator(folder: string): Promise<Report> {
  const peer = await buildPeer(folder);
  if (peer === undefined) say('Go 1.24 or newer is not there: no Go operator is measured beside it.');
  await using ours = await startSide('rolecall', folder, await bundleOperator(folder));
  await using theirs = peer === undefined ? undefined : await startSide('go', folder, peer);
  for (const { measure, isOursAlone } of phases) {
    await add(ours, measure);
    if (theirs !== undefined && isOursAlone !== true) await add(theirs, measure);
  }
  return {
    name: 'operator',
    figures: { ...ours.figures, ...besidePeer(ours.figures, theirs?.figures) },
    notes,
    bounds,
  };
}

async function startSide(who: string, folder: string, program: Program): Promise<Side & AsyncDisposable> {
  const dataDir = join(folder, who);
  await mkdir(dataDir);
  const installed = await install(dataDir, program);
  return { who, installed, figures: {}, [Symbol.asyncDispose]: () => installed[Symbol.asyncDispose]() };
}

async function add(side: Side, measure: Phase['measure']): Promise<void> {
  const more = await measure(side);
  Object.assign(side.figures, more);
  say(`${side.who} ${JSON.stringify(more)}`);
}

async function cold({ installed }: Side): Promise<Figures> {
  await installed.cluster.create(team, names(objects).map(person));
  return measureCold(installed);
}

async function floor({ installed, figures }: Side): Promise<Figures> {
  const floorPerSecond = await measureFloor(installed);
  const coldToFloor = (figures['coldSeconds'] ?? Number.NaN) / ((2 * objects) / floorPerSecond);
  return { floorPerSecond: round(floorPerSecond), coldToFloor: round(coldToFloor) };
}

async function restart(side: Side): Promise<Figures> {
  const { operator, figures } = await measureRestart(side.installed);
  side.operator = operator;
  return figures;
}

async function constantFloor({ installed, figures }: Side): Promise<Figures> {
  const constantFloorP99Ms = await measureConstantFloor(installed);
  return {
    constantFloorP99Ms,
    constantToFloor: round((figures['constantP99Ms'] ?? Number.NaN) / constantFloorP99Ms),
  };
}

function running({ operator }: Side): OperatorProcess {
  if (operator === undefined) throw new Error('no operator has been started yet');
  return operator;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
