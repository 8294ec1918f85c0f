import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Report, round } from '../report/report.ts';
import { measureBurst, measureConstant, measureDeletions, measureSecret, measureSettled } from './changes.ts';
import { besidePeer, bounds, notes, ofFew } from './figures.ts';
import { measureConstantFloor, measureFloor } from './floor.ts';
import { type Installed, install, person, team } from './installed.ts';
import { buildPeer } from './peer.ts';
import { measurePermissions } from './permissions.ts';
import { bundleOperator, type OperatorProcess, type Program } from './process.ts';
import { changes, deletions, few, fewDeletions, names, objects, rate, seconds } from './size.ts';
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

/** The measurements with few objects. */
const fewPhases: readonly Phase[] = [
  { measure: (side) => cold(side, few) },
  { measure: restart },
  { measure: (side) => measureDeletions(side.installed, running(side), names(fewDeletions), 0) },
  { measure: end },
];

const phases: readonly Phase[] = [
  { measure: (side) => cold(side, objects) },
  // After it: to both, the API server is one in which nothing has been yet.
  { measure: floor, isOursAlone: true },
  { measure: restart },
  { measure: (side) => measureBurst(side.installed, running(side)) },
  { measure: (side) => measureConstant(side.installed, running(side)) },
  { measure: constantFloor, isOursAlone: true },
  { measure: (side) => measureSettled(side.installed, running(side)) },
  { measure: ({ installed }) => measureSecret(installed), isOursAlone: true },
  { measure: deletion },
  { measure: ({ installed }) => measurePermissions(installed), isOursAlone: true },
  { measure: (side) => measureFailover(side.installed, running(side)) },
];

/** Both operators do the same work, one right after the other, because the speed of the machine changes within minutes. */
export async function measureOperator(folder: string): Promise<Report> {
  const peer = await buildPeer(folder);
  if (peer === undefined) say('Go 1.24 or newer is not there: no Go operator is measured beside it.');
  const programs = { ours: await bundleOperator(folder), peer };
  const all = await measurePhases(join(folder, 'all'), programs, phases);
  const some = await measurePhases(join(folder, 'few'), programs, fewPhases);
  const ours = { ...all.ours, ...ofFew(some.ours) };
  const theirs = peer === undefined ? undefined : { ...all.theirs, ...ofFew(some.theirs) };
  return { name: 'operator', figures: { ...ours, ...besidePeer(ours, theirs) }, notes, bounds };
}

async function measurePhases(
  folder: string,
  programs: { readonly ours: Program; readonly peer: Program | undefined },
  asked: readonly Phase[],
): Promise<{ readonly ours: Figures; readonly theirs: Figures }> {
  await using ours = await startSide('rolecall', folder, programs.ours);
  await using theirs = programs.peer === undefined ? undefined : await startSide('go', folder, programs.peer);
  for (const { measure, isOursAlone } of asked) {
    await add(ours, measure);
    if (theirs !== undefined && isOursAlone !== true) await add(theirs, measure);
  }
  return { ours: ours.figures, theirs: theirs?.figures ?? {} };
}

async function startSide(who: string, folder: string, program: Program): Promise<Side & AsyncDisposable> {
  const dataDir = join(folder, who);
  await mkdir(dataDir, { recursive: true });
  const installed = await install(dataDir, program);
  return { who, installed, figures: {}, [Symbol.asyncDispose]: () => installed[Symbol.asyncDispose]() };
}

async function add(side: Side, measure: Phase['measure']): Promise<void> {
  const more = await measure(side);
  Object.assign(side.figures, more);
  say(`${side.who} ${JSON.stringify(more)}`);
}

async function cold({ installed }: Side, count: number): Promise<Figures> {
  await installed.cluster.create(team, names(count).map(person));
  return measureCold(installed, count);
}

function deletion(side: Side): Promise<Figures> {
  const leaving = names(deletions, objects - deletions);
  // The changes of before locked those who came first.
  const locked = leaving.filter((name) => Number(name.slice(2)) < changes + rate * Math.min(seconds, 30)).length;
  return measureDeletions(side.installed, running(side), leaving, locked);
}

async function end(side: Side): Promise<Figures> {
  await running(side).stop();
  return {};
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
