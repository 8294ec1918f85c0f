import type { Person } from '@rolecall/api';
import { type DesiredPerson, label, named } from '../model/desired.ts';
import { emailKey, personKey, personNameKey } from '../model/keys.ts';
import {
  type Diff,
  emptyDiff,
  type FieldChange,
  missing,
  type Reference,
  type Refusal,
  referenceName,
  type Step,
  stepId,
} from '../model/step.ts';
import type { Kind, Observation } from './kind.ts';
import { oneCandidate } from './one-candidate.ts';
import type { Scope } from './scope.ts';

export interface ObservedPerson extends Observation {
  person: Person | undefined;
  ambiguous: Refusal | undefined;
  /** Another person who has the desired e-mail address. */
  emailHolder: Person | undefined;
  /** Whether that other person goes in the same plan. */
  emailFreed: boolean;
  /** Another person who has the desired username. */
  nameHolder: Person | undefined;
  /** Whether that other person goes in the same plan. */
  nameFreed: boolean;
}

/**
 * People cannot be edited: a changed name or e-mail takes a deletion and a new person, which needs an explicit opt-in.
 * The other kinds are planned as if the old person were gone, so their definitions give back what they declare (`keepGrants`).
 */
export const personKind: Kind<DesiredPerson, ObservedPerson> = {
  key: (desired) => personKey(desired.username),
  references: () => [],

  settled({ id = '', username, fullName, email, locked }, { view }) {
    const person = view.peek('people')?.byId.get(id);
    const isSame =
      person?.username === username && person.name === fullName && person.email === email && person.isLocked === locked;
    return isSame ? [id] : undefined;
  },

  async observe(desired, scope: Scope) {
    const { view, freesEmail, freesUsername } = scope;
    const people = await view.people();
    const found = oneCandidate(desired, scope, people, personKey(desired.username), (person) => person.username);
    // If this person already has the address, no one else can.
    const holder =
      found.object?.email === desired.email ? undefined : people.byEmail.get(emailKey(desired.email))?.at(-1);
    const isOther = holder !== undefined && holder.id !== found.object?.id;
    const nameHolder = people.byKey.get(personKey(desired.username))?.find(({ id }) => id !== found.object?.id);
    return {
      person: found.object,
      ambiguous: found.ambiguous,
      claims: found.claims,
      emailHolder: isOther ? holder : undefined,
      emailFreed: isOther && freesEmail(holder),
      nameHolder,
      nameFreed: nameHolder !== undefined && freesUsername(nameHolder),
    };
  },

  diff(desired, { person, ambiguous, emailHolder, emailFreed, nameHolder, nameFreed }) {
    const diff = emptyDiff();
    if (ambiguous !== undefined) return { ...diff, refusals: [ambiguous] };
    const changes = person === undefined ? [] : personChanges(desired, person);
    if (emailHolder !== undefined && !emailFreed && (person === undefined || changes.length > 0)) {
      diff.refusals.push(emailTaken(desired, emailHolder));
    }
    // Else the person would be deleted, and no other one could be created.
    if (nameHolder !== undefined && !nameFreed && (person === undefined || changes.length > 0)) {
      diff.refusals.push(usernameTaken(desired, nameHolder));
    }
    const freed = [emailHolder, nameHolder].flatMap((one) =>
      one === undefined ? [] : [stepId('deletePerson', one.id)],
    );
    if (person === undefined) diff.steps.push(...create(desired, freed));
    else if (changes.length > 0) replace(desired, person, changes, freed, diff);
    else if (person.isLocked !== desired.locked) diff.steps.push(setLock(desired, person.id));
    return diff;
  },
};

/** The two calls that remove a person: the service deletes only who is locked. */
export function removePerson(
  person: Pick<Person, 'id' | 'username' | 'isLocked'>,
  object: Step['object'],
  effect: 'remove' | 'replace',
  reason: string,
): Step[] {
  const params = { person: person.id };
  const lock: Step = {
    id: stepId('lockPerson', person.id),
    operation: 'lockPerson',
    params,
    object,
    summary: `lock ${person.username}, to be deleted`,
    reason,
    effect,
    after: [],
  };
  const remove: Step = {
    id: stepId('deletePerson', person.id),
    operation: 'deletePerson',
    params,
    object,
    summary: `delete ${person.username}`,
    reason,
    effect,
    after: person.isLocked ? [] : [lock.id],
  };
  return person.isLocked ? [remove] : [lock, remove];
}

/**
 * The fields in which a person differs from the declared one and that cannot be edited: any of them is a replacement. Case and Unicode
 * form alone are no difference, as are fields that the definition ignores.
 */
function personChanges(
  desired: Pick<DesiredPerson, 'username' | 'fullName' | 'email' | 'ignored'>,
  person: Pick<Person, 'username' | 'name' | 'email'>,
): FieldChange[] {
  const changes: FieldChange[] = [];
  if (differ(person.username, desired.username, personKey)) {
    changes.push({ field: 'username', from: person.username, to: desired.username });
  }
  const isNameIgnored = desired.ignored?.includes('name') === true;
  if (!isNameIgnored && differ(person.name, desired.fullName, personNameKey)) {
    changes.push({ field: 'name', from: person.name, to: desired.fullName });
  }
  if (differ(person.email, desired.email, emailKey)) {
    changes.push({ field: 'email', from: person.email, to: desired.email });
  }
  return changes;
}

/** Whether two texts differ in more than case and Unicode form; most are the same, so that they are compared first. */
const differ = (one: string, other: string, key: (text: string) => string): boolean =>
  one !== other && key(one) !== key(other);

function create(desired: DesiredPerson, after: string[], effect: Step['effect'] = 'create'): Step[] {
  const id: Reference = { ref: referenceName('Person', personKey(desired.username)) };
  const step: Step = {
    id: stepId('createPerson', personKey(desired.username)),
    operation: 'createPerson',
    params: {},
    body: { name: desired.fullName, email: desired.email, username: desired.username },
    object: named(desired),
    summary: `create ${desired.username} (${desired.fullName}, ${desired.email})`,
    reason: effect === 'replace' ? 'people cannot be edited' : missing,
    effect,
    makes: id.ref,
    after,
  };
  return desired.locked ? [step, setLock(desired, id)] : [step];
}

function setLock(desired: DesiredPerson, person: string | Reference): Step {
  const [operation, verb, reason] = desired.locked
    ? (['lockPerson', 'lock', 'declared locked'] as const)
    : (['unlockPerson', 'unlock', 'locked in the workspace, declared unlocked'] as const);
  return {
    id: stepId(operation, personKey(desired.username)),
    operation,
    params: { person },
    object: named(desired),
    summary: `${verb} ${desired.username}`,
    reason,
    effect: 'change',
    changes: [{ field: 'locked', from: String(!desired.locked), to: String(desired.locked) }],
    after: [],
  };
}

function replace(
  desired: DesiredPerson,
  person: Person,
  changes: FieldChange[],
  freed: readonly string[],
  diff: Diff,
): void {
  const fields = changes.map(({ field, from, to }) => `${field} from ${from ?? ''} to ${to ?? ''}`).join(' and ');
  if (!desired.replaceAllowed) {
    diff.refusals.push({
      rail: 'replace-person',
      objects: [label(desired)],
      message: `${label(desired)} would change ${fields}; people cannot be edited, so this deletes the person and creates another one`,
      remedy: 'annotate the person with rolecall.dev/replace-allowed: "true", or put the old value back',
      override: `replace-person:${label(desired)}`,
    });
  }
  if (desired.protected) {
    diff.refusals.push({
      rail: 'protected',
      objects: [label(desired)],
      message: `${label(desired)} is protected, and changing ${fields} would delete the person`,
      remedy: 'put the old value back, or take the annotation rolecall.dev/protected away',
      override: `protected:${label(desired)}`,
    });
  }
  const removal = removePerson(person, named(desired), 'replace', `${fields}; people cannot be edited`);
  const [created, ...rest] = create(desired, [...removal.map(({ id }) => id), ...freed], 'replace');
  if (created === undefined) return;
  diff.steps.push(...removal, { ...created, changes }, ...rest);
}

function emailTaken(desired: DesiredPerson, holder: Person): Refusal {
  return {
    rail: 'email-taken',
    objects: [label(desired)],
    message: `${label(desired)} declares the e-mail address ${desired.email}, which the person ${holder.username} has`,
    remedy: `give one of the two another address; where ${holder.username} is to go, remove that person first`,
  };
}

function usernameTaken(desired: DesiredPerson, { username, id }: Person): Refusal {
  return {
    rail: 'username-taken',
    objects: [label(desired)],
    message: `${label(desired)} declares the username ${username}, which another person in the workspace has (id ${id})`,
    remedy: 'choose another username; where that person should give it up, find out what keeps them',
  };
}
