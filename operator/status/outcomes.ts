/** Maps results of the engine, and errors, to outcomes. */

import { CallError, ConnectionUriError, InvalidRequestError, ProblemError, UnexpectedAnswerError } from '@rolecall/api';
import type { ContainmentFault, DefinitionOf } from '@rolecall/crds';
import { listUpTo, type Refusal, type Step } from '@rolecall/reconcile';
import { type CustomObject, hasFinalizer, isDeleting, isObserved, labelOf } from '../resources/custom-object.ts';
import { DisconnectedError, StatusError } from '../runtime/errors.ts';
import { isReady, type Outcome, readyCondition } from './conditions.ts';
import type { Reason } from './reasons.ts';

/** The annotation that lets a deleted object go although what it made could not be removed. */
export const releaseAnnotation = 'rolecall.dev/released';

/** The reasons of objects without a Workspace. */
const unassignedReasons: ReadonlySet<string> = new Set(['WorkspaceNotFound', 'WorkspaceAmbiguous']);

/** Tells how to let a deleted object go that cannot be removed now. */
export const howToRelease = `If the workspace is gone for good, annotate a deleted object with ${releaseAnnotation}: "true" to let it go.`;

/** True if the status says that no Workspace has the object. */
export const isUnassigned = ({ status }: CustomObject): boolean =>
  unassignedReasons.has(readyCondition(status)?.reason ?? '');

/** Adds, to the message about a deleted object, how it can go without its workspace. */
export const withReleaseHint = (object: CustomObject, message: string): string =>
  isDeleting(object) ? `${ended(message)} ${howToRelease}` : message;

/** The most objects that a message names. */
const namedObjects = 5;

/** The most steps that a message names. */
const namedSteps = 10;

/** The outcome of a permission whose window is written down before it is granted. */
export const granting: Outcome = {
  ready: 'False',
  reason: 'Granting',
  message: 'Its window is recorded, and is being granted.',
};

export const converged: Outcome = { ready: 'True', reason: 'Converged', message: 'The workspace is as declared.' };

/** The outcome of a membership for a time on a service that keeps no times: nothing but the operator ends it. */
export const keptByOperator: Outcome = {
  ...converged,
  reason: 'KeptByOperator',
  message:
    'The workspace is as declared. The service cannot end memberships by itself, so the operator adds and removes this one on time. If the operator is down, the membership outlives its window.',
};

/** The operator leaves a part of the object as it is, because it cannot tell what belongs there. @param why without the full stop */
export const undetermined = (why: string): Outcome => ({
  ready: 'Unknown',
  reason: 'Undetermined',
  message: `${sentence(why)} The rest is as declared.`,
});

/** The outcome of a Workspace with which all is well. */
export const workspaceReady: Outcome = {
  ...converged,
  message: 'The workspace is reached, and its objects are reconciled.',
};

export const paused: Outcome = {
  ready: 'Unknown',
  reason: 'Paused',
  message: 'It is paused. The operator leaves it as it is.',
};

/** The outcome of a permission that is annotated as ended and was never granted. */
export const forTheRecord: Outcome = {
  ...converged,
  message: 'It is kept for the record: rolecall.dev/ended says that its window is over, so nothing is granted.',
};

export function stalled(reason: Reason, message: string): Outcome {
  return { ready: 'False', reason, message, stalled: true };
}

/** The outcome of an object that is not valid. */
export const invalid = (problem: string): Outcome => stalled('Invalid', problem);

/** The outcome of a role whose contents are unknown: the operator leaves it as it is. */
export function containment(fault: ContainmentFault): Outcome {
  switch (fault.type) {
    case 'undeclared': {
      const which = `Role ${fault.role.metadata.name} contains the role ${fault.name}`;
      return waiting('MissingReference', `spec.roles: ${which}, which no valid object declares here: declare it.`);
    }
    case 'cycle': {
      const names = [...fault.roles, ...fault.roles.slice(0, 1)].map(({ metadata }) => metadata.name);
      return invalid(`spec.roles: they lead to a cycle (${names.join(' contains ')}): take one of these roles out.`);
    }
    case 'too many':
      return invalid('spec.roles: too many roles, nested ones included. Use dataSourceSelector.');
  }
}

/**
 * The outcome of a Workspace with exact collections while objects are not valid.
 *
 * @param unreadable their labels
 */
export function removalsSuspended(unreadable: ReadonlySet<string>): Outcome {
  const names = listUpTo(namedObjects, [...unreadable].sort());
  return stalled(
    'RemovalsSuspended',
    `Nothing undeclared is removed, because invalid objects may declare it: ${names}. Correct or delete them; the status of each says what is wrong. The rest is applied.`,
  );
}

/** The outcome of a Workspace in a namespace that has more objects than the operator keeps. @param excess names the limit and what exceeds it */
export const tooManyObjects = (excess: string): Outcome =>
  stalled(
    'TooManyObjects',
    `The namespace has more than ${excess}. The operator ignores the rest, and removes nothing undeclared, because the rest may declare it. Large objects count as several. Delete some, or move some to another namespace.`,
  );

/** The outcome of a Workspace where a rail keeps undeclared objects from being removed. */
export function removalsRefused({ message, remedy }: Refusal): Outcome {
  return stalled('RemovalsRefused', `Nothing undeclared is removed: ${message}. ${sentence(remedy)}`);
}

/** The outcome of a Workspace with objects that the operator may not write. @param message of the API server */
export const writesForbidden = (message: string): Outcome =>
  waiting(
    'WriteForbidden',
    `The operator may not write some objects: ${ended(message)} Apply the rights that come with this version of the operator.`,
  );

export function waiting(reason: Reason, message: string): Outcome {
  return { ready: 'False', reason, message };
}

/** The outcome of an object that rails hold back: which rail, and what to do. */
export function refused(refusals: readonly Refusal[]): Outcome {
  const [first] = refusals;
  const message = refusals.map((refusal) => `${sentence(refusal.message)} ${sentence(refusal.remedy)}`).join(' ');
  // A reference may be to something that is about to be declared.
  if (first?.rail === 'missing-reference') return waiting('MissingReference', message);
  return stalled(first === undefined ? 'Refused' : railReasons[first.rail], message);
}

/** The outcome of a deleted object whose removal rails hold up. */
export function removalRefused(refusals: readonly Refusal[]): Outcome {
  const outcome = refused(refusals);
  return {
    ...outcome,
    message: `${outcome.message} To leave it in the workspace, annotate it with ${releaseAnnotation}: "true".`,
  };
}

/** The outcome of an object with a step that waits for a step of another one. @param cause its label */
export const waitingFor = (cause: string): Outcome =>
  waiting('Waiting', `It waits for ${cause}, which failed and is tried again.`);

/** The outcome of an object that is only observed: what would change. */
export function observed(steps: readonly Step[]): Outcome {
  if (steps.length === 0)
    return { ready: 'True', reason: 'InSync', message: 'Observe only. The workspace is as declared.' };
  const summaries = steps.map(({ summary }) => summary);
  const message = `Observe only. Pending changes: ${listUpTo(namedSteps, summaries, '; ')}.`;
  return { ready: 'False', reason: 'ChangesPending', message };
}

/** A call that failed. Errors of the client hold no secret. */
export function failed(error: Error): Outcome {
  return isPermanent(error) ? stalled('Refused', messageOf(error)) : waiting('Failed', messageOf(error));
}

/**
 * The message of an error without what differs each time it happens: a status that repeated that would be written with
 * every try, for ever. It quotes nothing of an answer that is not a workspace service's: anyone who may create a Workspace could read by it
 * what only the operator's pod can reach.
 */
export function messageOf(error: Error): string {
  if (!(error instanceof CallError)) return error.message;
  if (error instanceof UnexpectedAnswerError)
    return `What answered is not a workspace service that this operator supports, or its answer was too large (status ${error.status}): check spec.url of the Workspace. The operator's log says more`;
  return withoutOccasion(error);
}

/** The message of an error for the log: what it is, and what differs each time it happens. */
export function loggedMessage(error: Error): { readonly message: string; readonly occasion: string } {
  if (!(error instanceof CallError)) return { message: error.message, occasion: '' };
  const id = error instanceof ProblemError ? error.requestId : undefined;
  return { message: withoutOccasion(error), occasion: id === undefined ? '' : `; request id ${id}` };
}

/** The message of an error without its attempts, the time that the service asks to wait, and the id of the request. */
function withoutOccasion(error: CallError): string {
  const text = error.message
    .replace(` (attempt ${error.attempts})`, '')
    .replace(/\. The service asks to wait \d+ s(?=\.|$)/, '');
  const id = error instanceof ProblemError ? error.requestId : undefined;
  return id === undefined ? text : text.replace(`. Request id: ${id}`, '.');
}

/**
 * True if the service refused a request for good: it would again until the request changes, so it is not tried again. An error that may
 * pass (a Secret that is missing for a moment, a credential plugin that fails) must not count as one.
 */
export function isPermanent(error: Error): boolean {
  if (!(error instanceof ProblemError))
    return error instanceof InvalidRequestError || error instanceof ConnectionUriError;
  // The declared owner is gone, which the next reading shows, as with a 404 for an id in the path.
  if (error.errors.some(({ path }) => ownerFields.has(path))) return false;
  return error.status >= 400 && error.status < 500 && ![401, 404, 408, 409, 429].includes(error.status);
}

/** The fields of a body that name something that has to exist; everything else that has to exist is named by the path. */
const ownerFields: ReadonlySet<string> = new Set(['ownerPersonId', 'ownerRoleId']);

/** True if the service refuses this key as a whole: it will until the Secret has another key, or the key gets more rights. */
export function isKeyRefused(error: Error): boolean {
  return error instanceof ProblemError && (error.status === 401 || error.status === 403);
}

/** The outcome of a Workspace whose key the service refuses. */
export function keyRefused(error: Error, { spec: { credentialsFrom } }: DefinitionOf<'Workspace'>): Outcome {
  const isUnknown = error instanceof ProblemError && error.status === 401;
  const secret = credentialsFrom?.secretKeyRef?.name;
  const remedy =
    secret === undefined
      ? 'the operator exchanges its token for another one when this one ends'
      : `put a valid key into the Secret ${secret} (spec.credentialsFrom)`;
  return stalled(
    'Refused',
    isUnknown ? `The workspace does not know this key, or it was revoked: ${remedy}.` : messageOf(error),
  );
}

/** True if a write failed at the API server. */
export function isApiserverError(error: Error): boolean {
  return error instanceof StatusError || error instanceof DisconnectedError;
}

/** The last ones are about definitions that a cluster cannot have, or about overrides. */
const railReasons: Readonly<Record<Refusal['rail'], Reason>> = {
  ambiguous: 'Ambiguous',
  'missing-reference': 'MissingReference',
  'email-taken': 'EmailTaken',
  'username-taken': 'UsernameTaken',
  'role-name-taken': 'RoleNameTaken',
  'alias-taken': 'AliasTaken',
  'window-past': 'WindowPast',
  'window-too-long': 'WindowTooLong',
  'password-undeclared': 'PasswordUndeclared',
  'not-editable': 'NotEditable',
  protected: 'Protected',
  'last-member': 'LastMember',
  'removal-share': 'RemovalShare',
  critical: 'Critical',
  'first-removal': 'FirstRemoval',
  'still-referenced': 'Refused',
  'declared-twice': 'Refused',
  'other-origin': 'Refused',
};

/** A whole sentence, of the rest of one. */
export function sentence(text: string): string {
  return ended(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

/** With a full stop, unless it has one. Its first letter stays, for it may be that of a field. */
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The most objects that the status of a deleted Workspace names: of those that wait, and of those that are not being deleted. */
const namedWaiting = 10;
const namedStaying = 3;

/**
 * The outcome of a Workspace that is being deleted. Of the deleted objects it names only those that cannot go by themselves: a
 * message that changed with each of thousands would be written as often.
 *
 * @param hasUnassigned whether objects without spec.workspaceRef may belong to it
 */
export function workspaceDeletion(objects: Iterable<CustomObject>, hasUnassigned: boolean): Outcome {
  const stuck: string[] = [];
  const staying: string[] = [];
  for (const object of objects) {
    if (!isDeleting(object)) {
      if (hasFinalizer(object)) staying.push(labelOf(object));
    } else if (isObserved(object) && !isReady(object)) stuck.push(labelOf(object));
  }
  // Where all are deleted one after another in the order of their names, the last names and no number change least.
  const last = staying.sort().slice(-namedStaying).join(', ');
  const others = (all: readonly string[], named: number): string => (all.length > named ? ' and others' : '');
  const parts = [
    'It is deleted once its objects are.',
    ...(staying.length > 0 ? [`These are not being deleted: ${last}${others(staying, namedStaying)}.`] : []),
    ...(hasUnassigned
      ? ['Objects without spec.workspaceRef may belong to it: delete the other Workspaces of the namespace first.']
      : []),
    ...(stuck.length > 0
      ? [
          `These wait for something, as the status of each says: ${stuck.sort().slice(0, namedWaiting).join(', ')}${others(stuck, namedWaiting)}.`,
        ]
      : []),
  ];
  return waiting('Waiting', parts.join(' '));
}
