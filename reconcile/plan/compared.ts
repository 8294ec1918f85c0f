import type { Step } from '../model/step.ts';
import type { AccessFacts } from '../view/access.ts';
import { readAccessFacts } from '../view/read-access.ts';
import type { View } from '../view/view.ts';
import { type AccessLoss, compareReach } from './access-loss.ts';
import { afterRun } from './after-run.ts';
import { compareMemberships, findTurnovers, type MembershipLoss, type Turnovers } from './membership-loss.ts';
import type { OwnedSnippets } from './membership-notes.ts';

/** The access before and after a run, and the access that it takes away. */
export interface Compared {
  before: AccessFacts;
  after: AccessFacts;
  loss: AccessLoss;
  memberships: MembershipLoss;
  now: Date;
}

/** Compares a workspace, or what the people whom a run concerns have of it. */
export function compareRun(
  before: AccessFacts,
  after: AccessFacts,
  turnovers: Turnovers,
  owned: OwnedSnippets,
  now: Date,
): Compared {
  const memberships = compareMemberships(turnovers, after, owned, now);
  return { before, after, loss: compareReach(before, after, now), memberships, now };
}

/** Compares the whole workspace. @throws the client's errors */
export async function compareAll(
  steps: readonly Step[],
  view: View,
  owned: OwnedSnippets,
  now: Date,
): Promise<Compared> {
  const factsBefore = await readAccessFacts(view);
  const factsAfter = afterRun(factsBefore, steps, now);
  return compareRun(factsBefore, factsAfter, findTurnovers(factsBefore, factsAfter, now), owned, now);
}
