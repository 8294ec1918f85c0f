/** One look at a workspace: what is deleted is removed from it, and what is declared is planned and made there. */

import type { DefinitionOf } from '@rolecall/crds';
import { emailKey, personChanges, personKey, type Step } from '@rolecall/reconcile';
import { type CustomObject, hasFinalizer, isLeaving, labelOf } from '../resources/custom-object.ts';
import { sleep } from '../runtime/clock.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import { statusOf, type Verdict } from '../status/conditions.ts';
import { removalsSuspended, stalled, toWhoever, waiting } from '../status/outcomes.ts';
import type { Telling } from '../status/status-manager.ts';
import { goingLast } from '../status/workspace-deletion.ts';
import { convergePart, type Home, lookedAfter, type PartOutcome } from './apply-changes.ts';
import type { Memory, PassContext } from './context.ts';
import { removeDeleted } from './delete-objects.ts';
import { type Part, partOf } from './dependency-closure.ts';
import type { Member, Members } from './object-index.ts';
import { currentView } from './view-cache.ts';

export interface WorkspaceObject {
  readonly object: CustomObject;
  readonly definition: DefinitionOf<'Workspace'>;
}

/** A Workspace as it is now, and the objects that are not valid and might be of it: those may declare what nobody else does. */
export interface Subject extends WorkspaceObject {
  readonly unreadable: ReadonlySet<string>;
}

export interface LookOptions {
  /** As it is now: it may change during a look. */
  readonly subject: () => Subject;
  readonly context: PassContext;
  readonly members: Members;
  readonly memory: Memory;
  readonly queue: WorkQueue;
  readonly telling: Telling;
  readonly isOver: AbortSignal;
  /** Whether there are objects that might be of this Workspace, and cannot be told to be. */
  readonly hasStrays: () => boolean;
  /** Says of the Workspace how it is, as it was seen. */
  readonly say: (verdict: Verdict, seen: CustomObject) => Promise<void>;
  /** Told when the workspace was read and is other than it was: then all has to be compared with it. */
  readonly onOther: () => void;
  /** Told when something was done in the workspace. */
  readonly onRun: () => void;
}

/**
 * Looks at some objects of a workspace; whose outcome is told is taken out of the hands.
 *
 * @throws what may pass, when the workspace could not be read
 */
export type Look = (hands: Set<string>) => Promise<void>;

/** How long a deletion waits for grants that are still to be made. */
const patienceMs = 50;

/** Makes the looks at one workspace. */
export function createLook(options: LookOptions): Look {
  const { subject, context, members, memory, queue, telling, isOver, hasStrays, say, onOther, onRun } = options;
  const { clock, writer, connections, limit } = context;
  const { open, writes, latest, own } = telling;

  async function look(hands: Set<string>): Promise<void> {
    const taken = [...hands];
    const { object, definition } = subject();
    const { namespace } = object.metadata;
    const isHad = (): boolean => hasStrays() || [...members.all()].some((member) => hasFinalizer(member.object));
    if (isLeaving(object) && !isHad()) {
      await writer.removeFinalizer(object);
      return;
    }
    if (!isLeaving(object) && members.size() > 0 && !hasFinalizer(object)) {
      if ((await writer.addFinalizer(object)) === undefined) return;
    }
    const connected = await connections.connect(definition, namespace, isLeaving(object));
    if ('reason' in connected) {
      const unusable = connected.reason === 'SecretNotFound' ? waiting : stalled;
      await say(unusable(connected.reason, toWhoever(object, connected.message)), object);
      telling.sayNotReady(hands, `The Workspace ${object.metadata.name} cannot be used: ${connected.message}`);
      return;
    }
    const needsSnippets = members.has('Snippet') || definition.spec.exact?.includes('snippets') === true;
    const { view, isOther } = await currentView(connected.client, memory, needsSnippets);
    if (isOther) onOther();
    const there = taken.flatMap((label) => members.get(label) ?? []);
    const home: Home = {
      ...{ definition, workspace: object, namespace, members, memory, view, connected, context },
      own: (label) => limit(() => own(label)),
      report: (member, verdict, error) => {
        hands.delete(labelOf(member.object));
        telling.report(member, verdict, error);
      },
      remember: (member, verdict) =>
        limit(() => writer.writeStatus(latest(member), statusOf(latest(member), verdict, clock.now()))),
    };
    const staying = there.filter((member) => !isLeaving(member.object)).map((member) => labelOf(member.object));
    const leaving = there.filter((member) => isLeaving(member.object));
    const removes = isExact(definition);
    let outcome: PartOutcome = { workspace: lookedAfter, hasRun: false };
    // Where nothing else is asked, whether the workspace can be reached with this key has to be found out all the same.
    if (staying.length === 0) await (members.has('Person') ? view.people() : view.dataSources());
    if (staying.length > 0 || removes) outcome = await convergeSome(staying, home, hands);
    const hasRemoved = leaving.length > 0 && (await removeSome(leaving, home, hands));
    if (outcome.hasRun || hasRemoved) onRun();
    await say(verdictNow(outcome.workspace), object);
  }

  /** What is said of the Workspace after a look, by what kept undeclared objects from being removed. */
  function verdictNow(outcome: Verdict): Verdict {
    const { object, definition, unreadable } = subject();
    if (isLeaving(object)) return goingLast(members, hasStrays());
    return isExact(definition) && unreadable.size > 0 ? removalsSuspended(unreadable) : outcome;
  }

  async function convergeSome(staying: readonly string[], home: Home, hands: Set<string>) {
    const removes = isExact(home.definition);
    const people = members.has('Person') ? await home.view.people() : undefined;
    const holderOf = (email: string) => people?.byEmail.get(emailKey(email))?.at(-1)?.username;
    const isReplaced = ({ object, definition }: Member): boolean => {
      if (definition.kind !== 'Person' || people === undefined) return false;
      const { username, name, email } = definition.spec;
      const found = people.byId.get(object.status.id ?? '') ?? people.byKey.get(personKey(username))?.[0];
      return found !== undefined && personChanges({ username, fullName: name, email }, found).length > 0;
    };
    const partWith = async (chosen: Iterable<string>): Promise<Part> => {
      const isOpen = (label: string): boolean => open.has(label) || queue.has(label) || hands.has(label);
      const part = partOf(chosen, members, { isOpen, holderOf, isReplaced });
      await claimAll(part.compared, hands);
      return part;
    };
    let part = await partWith(removes ? members.labels() : staying);
    // Once: where objects come all the time, it would not come to an end.
    let mayAskForMore = !removes;
    const { object, unreadable } = subject();
    return convergePart(part, removes && unreadable.size === 0 && !isLeaving(object), home, async (unmade, steps) => {
      const more = new Set(unmade);
      if (mayAskForMore && steps.some(mayTake)) {
        const others = [...open, ...queue.waiting()].filter((label) => !part.compared.has(label) && members.get(label));
        mayAskForMore = others.length === 0 || !asksForMore(steps, others);
        if (!mayAskForMore) for (const label of others) more.add(label);
      }
      const before = part.compared.size;
      if (more.size > 0) part = await partWith([...part.compared, ...more]);
      return part.compared.size > before ? part : undefined;
    });
  }

  /** What gives access must be planned with what takes it away, or somebody would lose it for a while. */
  function asksForMore(steps: readonly Step[], others: readonly string[]): boolean {
    const mayGrant = members.protectedRoles.size > 0 || others.some((label) => !label.startsWith('Person/'));
    return steps.some((step) => takes(step) || (mayGrant && mayTake(step)));
  }

  async function claimAll(labels: Iterable<string>, hands: Set<string>): Promise<void> {
    for (const label of labels) {
      // Somebody else's hands are those that write its status: that ends.
      while (!hands.has(label) && !queue.claim(label)) {
        if (isOver.aborted) throw new Error('the operator ends');
        await (writes.get(label) ?? sleep(clock, 1, isOver));
      }
      hands.add(label);
    }
  }

  async function removeSome(leaving: readonly Member[], home: Home, hands: Set<string>): Promise<boolean> {
    const isGrant = (label: string): boolean => {
      const member = members.get(label);
      return member !== undefined && !isLeaving(member.object) && grantKinds.has(member.object.kind);
    };
    if ([...queue.waiting()].some(isGrant)) {
      for (const { object } of leaving) {
        hands.delete(labelOf(object));
        queue.done(labelOf(object));
        queue.addAfter(labelOf(object), patienceMs);
      }
      return false;
    }
    const { object, definition } = subject();
    const exact = isLeaving(object) ? [] : (definition.spec.exact ?? []);
    return removeDeleted(leaving, exact, home, (member) => {
      const label = labelOf(member.object);
      hands.delete(label);
      open.delete(label);
      telling.forgetWindow(label);
      telling.write(label, () => writer.removeFinalizer(latest(member)));
    });
  }

  return look;
}

const takes = ({ effect }: Step): boolean => effect === 'revoke' || effect === 'remove' || effect === 'replace';

/** Whether it takes access away, or may where somebody else's grants are still to be made. */
const mayTake = (step: Step): boolean =>
  takes(step) || step.operation === 'lockPerson' || step.operation === 'unlockPerson';

/** Whether what nobody declares is removed from some collection. */
export const isExact = ({ spec: { exact = [] } }: WorkspaceObject['definition']): boolean => exact.length > 0;

const grantKinds: ReadonlySet<string> = new Set(['Role', 'RoleMembership', 'Permission']);
