import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Report, round } from './report/report.ts';
import { runCommand } from './workspace/command.ts';
import { type Changes, type Sizes, writeDefinitions } from './workspace/definitions.ts';
import { counted, type RawCall, rawCalls, total, withService } from './workspace/workspace.ts';

const sizes: Sizes = { people: 2000, roles: 200, memberships: 2000, permissions: 600, snippets: 200, dataSources: 3 };
const changes: Changes = {
  newPeople: 10,
  lockedPeople: 10,
  newMemberships: 10,
  newPermissions: 10,
  openedSnippets: 10,
};

const objects = total(sizes);
const changed = total(changes);
/** The snapshot, which has all that a plan compares. */
const read = 1;
/** A run takes the lease, and gives it back; how often it renews it depends on the machine, and is not counted. */
const lease = 2;
/** Where something that is there changes, who wrote it last. */
const managers = 1;

/** The fewest calls that the service's API allows, beside one a change. */
const fewest = {
  first: read + lease + objects,
  empty: read,
  changes: read + managers + lease + changed,
};

/** `rolecall apply` of 5,000 objects: onto nothing, again, and with 50 changes. */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  try {
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string): Promise<Report> {
  const plain = join(folder, 'plain');
  const edited = join(folder, 'edited');
  writeDefinitions(plain, sizes);
  writeDefinitions(edited, sizes, changes);
  const floor = await withService(join(folder, 'floor'), (_service, env) => rawCalls(env, 8, floorCalls()));
  return withService(join(folder, 'data'), async (service, env) => {
    const first = await counted(service, () => runCommand(['apply', '--yes', plain], env));
    const empty = await counted(service, () => runCommand(['plan', '--detailed-exitcode', plain], env));
    const some = await counted(service, () => runCommand(['apply', '--yes', edited], env));
    const after = await counted(service, () => runCommand(['plan', '--detailed-exitcode', edited], env));
    return {
      name: 'apply',
      figures: {
        firstCallsRatio: round(first.calls / fewest.first, 4),
        emptyCallsRatio: round(empty.calls / fewest.empty, 4),
        changesCallsRatio: round(some.calls / fewest.changes, 4),
        afterwardsCallsRatio: round(after.calls / fewest.empty, 4),
        firstSeconds: round(first.run.seconds),
        emptySeconds: round(empty.run.seconds),
        changesSeconds: round(some.run.seconds),
        firstTimeRatio: round(first.run.seconds / floor),
        peakMiB: round(Math.max(first.run.peakMiB, empty.run.peakMiB, some.run.peakMiB), 1),
        firstPeakMiB: round(first.run.peakMiB, 1),
        emptyPeakMiB: round(empty.run.peakMiB, 1),
        changesPeakMiB: round(some.run.peakMiB, 1),
      },
      notes: {
        firstCallsRatio: `first apply of ${objects} objects: calls the service received ÷ the fewest possible`,
        emptyCallsRatio: 'plan with nothing to do: calls ÷ the fewest possible',
        changesCallsRatio: `apply of ${changed} changes: calls ÷ the fewest possible`,
        afterwardsCallsRatio: 'plan after that: calls ÷ the fewest possible',
        firstTimeRatio: `first apply ÷ as many POSTs sent by undici alone, 8 side by side`,
        peakMiB: 'the most resident memory that any of the commands had',
      },
      bounds: {
        firstCallsRatio: ['exactly', 1],
        emptyCallsRatio: ['exactly', 1],
        changesCallsRatio: ['exactly', 1],
        afterwardsCallsRatio: ['exactly', 1],
        peakMiB: ['under', 190.7],
      },
    };
  });
}

/** As many writes as the first apply makes, as many side by side as the command has. */
function* floorCalls(): Generator<RawCall> {
  for (let index = 0; index < objects; index += 1) {
    const body = `name=Person+${index}&email=person-${index}%40example.com&username=person-${index}`;
    yield { method: 'POST', path: '/api/v2/person', body };
  }
}
