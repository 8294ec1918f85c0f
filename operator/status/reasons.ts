/**
 * The registry of the reasons that a condition of an object may have. Alerts and scripts match on them, so each is stable.
 * `npm run generate` writes the table of docs/operator.md from here.
 */
export const reasons = {
  Converged: { meaning: 'The workspace is as declared.', remedy: '' },
  InSync: { meaning: 'The workspace is as declared, with `managementPolicy: Observe`.', remedy: '' },
  ChangesPending: {
    meaning: 'With `managementPolicy: Observe`: the message says what would change.',
    remedy: 'Set `managementPolicy: Full` to have it changed.',
  },
  Paused: {
    meaning: 'The object has the annotation `rolecall.dev/paused`.',
    remedy: 'Remove the annotation.',
  },
  Granting: { meaning: 'The window of a permission is written down, and it is being granted.', remedy: '' },
  MissingReference: {
    meaning: 'It refers to a person, role or data source that neither an object declares nor the workspace has.',
    remedy: 'Declare what the message names. It goes on by itself.',
  },
  Waiting: { meaning: 'It waits for another object, which the message names.', remedy: 'It goes on by itself.' },
  SecretNotFound: {
    meaning: 'The Secret is missing or cannot be read, lacks the key, or what it holds cannot be a password.',
    remedy: 'Correct the Secret. It goes on by itself.',
  },
  ConfigMapNotFound: {
    meaning: 'The ConfigMap is missing or cannot be read, or lacks the key.',
    remedy: 'Correct the ConfigMap. It goes on by itself.',
  },
  Conflict: {
    meaning: 'An older object declares the same thing. This object writes nothing.',
    remedy: 'Delete one of the two.',
  },
  ReplacePerson: {
    meaning: 'Rail: the change needs the person to be deleted and created again.',
    remedy: 'Annotate the object with `rolecall.dev/replace-allowed`.',
  },
  Protected: {
    meaning: 'Rail: the object is protected against removal.',
    remedy: 'Remove the annotation `rolecall.dev/protected`.',
  },
  LastMember: {
    meaning: 'Rail: a protected role would be left without a member who can get in.',
    remedy: 'Put another person into the role first.',
  },
  RemovalShare: {
    meaning: 'Rail: too much access would be removed at once.',
    remedy: 'Raise `spec.rails.maxRemovalPercent` of the Workspace if the removal is meant.',
  },
  FirstRemoval: {
    meaning: 'Rail: it would remove what others gave, for the first time.',
    remedy: 'Declare what is to stay, or set `spec.rails.allowFirstRemoval` of the Workspace.',
  },
  EmailTaken: {
    meaning: 'Rail: another person in the workspace has the e-mail address.',
    remedy: 'Change one of the two addresses.',
  },
  WindowPast: {
    meaning: 'Rail: the window of the permission is over, and nothing was ever granted for it.',
    remedy: 'Declare a later window, or annotate the object with `rolecall.dev/ended`.',
  },
  Ambiguous: {
    meaning: 'Rail: several things in the workspace may be the declared one.',
    remedy: 'Remove or rename all but one in the workspace.',
  },
  PasswordUndeclared: {
    meaning: 'Rail: the change of a data source would lose its password, which is not declared.',
    remedy: 'Declare `spec.passwordFrom`.',
  },
  Exact: {
    meaning:
      'The object is deleted and is to be left in the workspace (`Orphan`, `Observe`), where something exact would remove it.',
    remedy: 'Change what the message names.',
  },
  Invalid: {
    meaning: 'The definition is not valid. What the object has in the workspace stays as it is.',
    remedy: 'Correct the fields that the message names.',
  },
  Unsupported: {
    meaning: 'The definition uses what a cluster does not have: files or environment variables.',
    remedy: 'Use `secretKeyRef` or `configMapKeyRef`.',
  },
  Refused: {
    meaning:
      'The service refused it. It is not tried again until the object changes; of a Workspace, the service refused the key.',
    remedy:
      'Change what the message names. A Workspace is tried again when its Secret changes, and with each drift check.',
  },
  Failed: { meaning: 'The service could not do it.', remedy: 'It is tried again.' },
  WorkspaceNotFound: {
    meaning: 'There is no Workspace in the namespace, or none of the name in `spec.workspaceRef`.',
    remedy: 'Create the Workspace. It goes on by itself.',
  },
  WorkspaceAmbiguous: {
    meaning: 'The namespace has several Workspaces, and the object names none.',
    remedy: 'Set `spec.workspaceRef`, as the message says.',
  },
  WorkspaceNotReady: {
    meaning: 'The Workspace cannot be used.',
    remedy: 'See the status of the Workspace. It goes on by itself.',
  },
  Incomplete: {
    meaning: 'Of a Workspace: `url` or `credentialsFrom.secretKeyRef` is missing, or `caFile` is given.',
    remedy: 'Correct the Workspace.',
  },
  Unreachable: {
    meaning: 'Of a Workspace: the service does not answer within 20 s, or not as it should.',
    remedy: 'It is tried again.',
  },
  RemovalsRefused: {
    meaning:
      'Of a Workspace: a rail refuses to remove what is not declared in an exact collection. The rest is applied.',
    remedy: 'The message has the remedy of the rail.',
  },
  RemovalsSuspended: {
    meaning:
      'Of a Workspace: nothing undeclared is removed from its exact collections, since objects that are invalid may declare it. The rest is applied.',
    remedy: 'Correct or delete the objects that the message names.',
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;

/** Why a condition is as it is, in one word for programs. */
export type Reason = keyof typeof reasons;
