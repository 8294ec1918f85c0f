import type { Person } from '@rolecall/api';
import { type DesiredPerson, label, named } from '../model/desired.ts';
import { emailKey, personKey, personNameKey } from '../model/keys.ts';
import {
  differs,
  emptyDiff,
  type FieldChange,
  makeStep,
  missing,
  type Reference,
  type Refusal,
  referenceName,
  type Step,
} from '../model/step.ts';
import type { People } from '../view/view.ts';
import type { Kind, Observation } from './kind.ts';
import { findNameTurns, type NameTurn, type NameTurns, type UniqueNames } from './name-turn.ts';
import { notEditable } from './not-editable.ts';
import { oneCandidate } from './one-candidate.ts';

type UniqueField = 'username' | 'email';

export interface ObservedPerson extends Observation {
  person: Person | undefined;
  ambiguous: Refusal | undefined;
  names: NameTurns<UniqueField>;
  /** True if the service can edit people. */
  isEditable: boolean;
}

export const personKind: Kind<DesiredPerson, ObservedPerson> = {
  key: (desired) => personKey(desired.username),
  references: () => [],

  settled({ id = '', username, fullName, email, locked }, { view }) {
    const person = view.peek('people')?.byId.get(id);
    const isSame =
      person?.username === username && person.name === fullName && person.email === email && person.isLocked === locked;
    return isSame ? [id] : undefined;
  },

  async observe(desired, scope) {
    const people = await scope.view.people();
    const candidate = oneCandidate(desired, scope, people, personKey(desired.username), (person) => person.username);
    return {
      person: candidate.object,
      ambiguous: candidate.ambiguous,
      claims: candidate.claims,
      names: findNameTurns(desired, candidate.object, uniqueNames(people), scope),
      isEditable: scope.view.edits(),
    };
  },

  diff(desired, { person, ambiguous, names, isEditable }) {
    const diff = emptyDiff();
    if (ambiguous !== undefined) return { ...diff, refusals: [ambiguous] };
    diff.refusals.push(...names.refusals);
    if (person === undefined) return { ...diff, steps: create(desired, names) };
    const changes = personChanges(desired, person);
    if (changes.length > 0 && !isEditable) diff.refusals.push(notEditable(desired, 'people', changes));
    diff.steps.push(...names.turns.flatMap((turn) => update(desired, person, changes, turn)));
    if (person.isLocked !== desired.locked) diff.steps.push(setLock(desired, person.id));
    return diff;
  },
};

const uniqueNames = (people: People): UniqueNames<DesiredPerson, Person, UniqueField> => ({
  kind: 'Person',
  update: 'updatePerson',
  removal: 'deletePerson',
  fields: ['username', 'email'],
  declared: ({ username, email }, field) => (field === 'username' ? personKey(username) : emailKey(email)),
  current: ({ username, email }, field) => (field === 'username' ? personKey(username) : emailKey(email)),
  index: (field) => (field === 'username' ? people.byKey : people.byEmail),
  refuse: (desired, field, holder) =>
    field === 'username' ? usernameTaken(desired, holder) : emailTaken(desired, holder),
});

/** The two calls that remove a person: the service deletes only who is locked. */
export function removePerson(
  person: Pick<Person, 'id' | 'username' | 'isLocked'>,
  object: Step['object'],
  reason: string,
): Step[] {
  const params = { person: person.id };
  const lock = makeStep('lockPerson', [person.id], object, {
    params,
    summary: `lock ${person.username}, to be deleted`,
    reason,
    effect: 'remove',
  });
  const remove = makeStep('deletePerson', [person.id], object, {
    params,
    summary: `delete ${person.username}`,
    reason,
    effect: 'remove',
    after: person.isLocked ? [] : [lock.id],
  });
  return person.isLocked ? [remove] : [lock, remove];
}

/** The fields in which a person differs from the declared one. Case and Unicode form alone are no difference, nor is a field that the definition ignores. */
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

/** True if two texts differ in more than case and Unicode form; most are the same, so that they are compared first. */
const differ = (text: string, other: string, key: (text: string) => string): boolean =>
  text !== other && key(text) !== key(other);

/** The call that gives a person what is declared of these names, and the one before it that frees a name for another person. */
function update(
  desired: DesiredPerson,
  person: Person,
  changes: readonly FieldChange[],
  { fields, id, after, frees }: NameTurn<UniqueField>,
): Step[] {
  // The full name is in no one's way: it goes with the username.
  const ofTurn = changes.filter(({ field }) =>
    field === 'name' ? fields.includes('username') : fields.some((name) => name === field),
  );
  if (ofTurn.length === 0) return [];
  const edit = {
    operation: 'updatePerson',
    params: { person: person.id },
    object: named(desired),
    effect: 'change',
  } as const;
  const step: Step = {
    ...edit,
    id,
    body: Object.fromEntries(ofTurn.map(({ field, to }) => [field, to])),
    summary: `edit the ${ofTurn.map(({ field }) => field).join(' and ')} of ${person.username}`,
    reason: differs,
    changes: ofTurn,
    after: [...after, ...(frees === undefined ? [] : [frees.id])],
  };
  if (frees === undefined) return [step];
  const { field } = frees;
  const to = field === 'username' ? `renamed-${person.id}` : `${person.id}@renamed.invalid`;
  const freeing: Step = {
    ...edit,
    id: frees.id,
    body: { [field]: to },
    summary: `free the ${words[field]} ${person[field]} for another person`,
    reason: `people exchange their ${field === 'username' ? 'usernames' : 'e-mail addresses'}, and the service has each once`,
    changes: [{ field, from: person[field], to }],
    after: [],
  };
  return [freeing, step];
}

const words = { username: 'username', email: 'e-mail address' } as const;

function create(desired: DesiredPerson, { turns }: NameTurns<UniqueField>): Step[] {
  const id: Reference = { ref: referenceName('Person', personKey(desired.username)) };
  const step = makeStep('createPerson', [personKey(desired.username)], named(desired), {
    params: {},
    body: { name: desired.fullName, email: desired.email, username: desired.username },
    summary: `create ${desired.username} (${desired.fullName}, ${desired.email})`,
    reason: missing,
    effect: 'create',
    makes: id.ref,
    after: [...new Set(turns.flatMap(({ after }) => after))],
  });
  return desired.locked ? [step, setLock(desired, id)] : [step];
}

function setLock(desired: DesiredPerson, person: string | Reference): Step {
  const [operation, verb, reason] = desired.locked
    ? (['lockPerson', 'lock', 'declared locked'] as const)
    : (['unlockPerson', 'unlock', 'locked in the workspace, declared unlocked'] as const);
  return makeStep(operation, [personKey(desired.username)], named(desired), {
    params: { person },
    summary: `${verb} ${desired.username}`,
    reason,
    effect: 'change',
    changes: [{ field: 'locked', from: String(!desired.locked), to: String(desired.locked) }],
  });
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
