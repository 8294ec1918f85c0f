/**
 * The registry of the reasons that a condition of an object may have. Alerts and scripts match on them, so each is stable.
 * `npm run generate` writes the table of docs/operator.md from here.
 */
export const reasons = {
  Converged: { meaning: 'The workspace matches the definition.', remedy: '' },
  KeptByOperator: {
    meaning:
      'The workspace matches the definition now, but its service cannot end memberships by itself. The operator adds and removes the membership on time. If the operator is down, the membership outlives its window.',
    remedy: 'Keep the operator running, or use a service that keeps the times itself.',
  },
  Undetermined: {
    meaning:
      'The operator cannot tell a part of what the object declares, or of what the workspace has: the message says why. That part stays as it is. The rest matches the definition.',
    remedy: 'Correct what the message names. It continues by itself.',
  },
  InSync: { meaning: 'The workspace matches the definition, with `managementPolicy: Observe`.', remedy: '' },
  ChangesPending: {
    meaning: 'With `managementPolicy: Observe`: the message says what would change.',
    remedy: 'Set `managementPolicy: Full` to let the operator change it.',
  },
  Paused: {
    meaning: 'The object has the annotation `rolecall.dev/paused`.',
    remedy: 'Remove the annotation.',
  },
  Granting: {
    meaning: 'The operator has recorded the window of the permission or membership, and is granting it.',
    remedy: '',
  },
  MissingReference: {
    meaning:
      'It refers to a person, role or data source that no object declares and the workspace does not have, or it contains a role that no object declares.',
    remedy: 'Declare what the message names. It continues by itself.',
  },
  Waiting: { meaning: 'It waits for another object, which the message names.', remedy: 'It continues by itself.' },
  SecretNotFound: {
    meaning: 'The Secret is missing or cannot be read, lacks the key, or what it holds cannot be a password.',
    remedy: 'Correct the Secret. It continues by itself.',
  },
  ConfigMapNotFound: {
    meaning: 'The ConfigMap is missing or cannot be read, or lacks the key.',
    remedy: 'Correct the ConfigMap. It continues by itself.',
  },
  Conflict: {
    meaning: 'An older object declares the same thing. This object writes nothing.',
    remedy: 'Delete one of the two.',
  },
  NotEditable: {
    meaning: 'Rail: the person or role has another name or e-mail address, and the service cannot edit it.',
    remedy:
      'Put the old value back, or delete the person or role in the workspace, so that the operator creates it anew.',
  },
  Protected: {
    meaning: 'Rail: the object is protected against removal.',
    remedy: 'Remove the annotation `rolecall.dev/protected`.',
  },
  LastMember: {
    meaning: 'Rail: a protected role would have no member left who can log in.',
    remedy: 'Add another person to the role first.',
  },
  RemovalShare: {
    meaning: 'Rail: the change would remove too much access, or too many people from roles, at once.',
    remedy: 'Raise `spec.rails.maxRemovalPercent` of the Workspace if you mean the removal.',
  },
  Critical: {
    meaning:
      'Rail: the change would take a critical role or data source, or the role of the administrators, from too many people at once, or from the last one.',
    remedy: 'Take it from one person at a time.',
  },
  FirstRemoval: {
    meaning: 'Rail: the change would remove access that others gave, for the first time.',
    remedy: 'Declare what you want to keep, or set `spec.rails.allowFirstRemoval` of the Workspace.',
  },
  EmailTaken: {
    meaning: 'Rail: another person in the workspace has the e-mail address.',
    remedy: 'Change one of the two addresses.',
  },
  UsernameTaken: {
    meaning: 'Rail: another person in the workspace has the username.',
    remedy: 'Choose another username. If another object is to give it up, see what holds that one back.',
  },
  RoleNameTaken: {
    meaning: 'Rail: another role in the workspace has the name.',
    remedy: 'Choose another name. If another object is to give it up, see what holds that one back.',
  },
  AliasTaken: {
    meaning: 'Rail: another data source in the workspace has the alias.',
    remedy:
      'Choose another alias, or delete that data source. If another object is to give the alias up, see what holds that one back.',
  },
  WindowPast: {
    meaning: 'Rail: the window of the permission is over, and nothing was ever granted for it.',
    remedy: 'Declare a later window, or annotate the object with `rolecall.dev/ended`.',
  },
  WindowTooLong: {
    meaning:
      'Rail: the permission ends more than 36,500 days after it begins, and the service grants nothing for longer.',
    remedy: 'Write an earlier `spec.expiresAt`.',
  },
  Ambiguous: {
    meaning: 'Rail: the definition could mean several objects in the workspace.',
    remedy: 'Remove or rename all but one in the workspace.',
  },
  PasswordUndeclared: {
    meaning: 'Rail: the change of a data source would lose its password, which is not declared.',
    remedy: 'Declare `spec.passwordFrom`.',
  },
  Exact: {
    meaning:
      'You deleted the object and want to keep it in the workspace (`Orphan`, `Observe`), but something exact would remove it there.',
    remedy: 'Change what the message names.',
  },
  Invalid: {
    meaning: 'The definition is not valid. The workspace stays as it is.',
    remedy: 'Correct the fields that the message names.',
  },
  Unsupported: {
    meaning: 'The definition uses files or environment variables, which do not work in a cluster.',
    remedy: 'Use `secretKeyRef` or `configMapKeyRef`.',
  },
  Refused: {
    meaning:
      'The service refused the change, and the operator does not retry until the object changes. On a Workspace: the service refused the key.',
    remedy:
      'Change what the message names. The operator retries a Workspace when its Secret changes, and with each drift check.',
  },
  Failed: { meaning: 'The service could not make the change.', remedy: 'The operator retries by itself.' },
  WorkspaceNotFound: {
    meaning: 'There is no Workspace in the namespace, or none of the name in `spec.workspaceRef`.',
    remedy: 'Create the Workspace. It continues by itself.',
  },
  WorkspaceAmbiguous: {
    meaning: 'The namespace has several Workspaces, and the object names none.',
    remedy: 'Set `spec.workspaceRef`, as the message says.',
  },
  WorkspaceNotReady: {
    meaning: 'The Workspace cannot be used.',
    remedy: 'See the status of the Workspace. It continues by itself.',
  },
  Incomplete: {
    meaning: 'On a Workspace: `url` or `credentialsFrom.secretKeyRef` is missing, or `caFile` is set.',
    remedy: 'Correct the Workspace.',
  },
  IdentityDenied: {
    meaning:
      "On a Workspace: it names no Secret, and the operator's own identity is not for this namespace and `spec.url`.",
    remedy: 'Name a Secret in `credentialsFrom`, or ask those who run the operator to allow it (`--identity`).',
  },
  TokenUnavailable: {
    meaning: "On a Workspace without a Secret: the operator's own token is missing, or was exchanged before.",
    remedy: "It continues by itself once the cluster has written a new token; the operator's log says more.",
  },
  Unreachable: {
    meaning:
      'On a Workspace: the service does not begin its answer within 20 s or end it within two minutes, or the answer is not valid.',
    remedy: 'The operator retries by itself.',
  },
  WriteForbidden: {
    meaning: 'On a Workspace: the operator may not write one of its objects, whose status is out of date.',
    remedy: 'Apply the rights that come with your version of the operator. It continues by itself.',
  },
  AddressDenied: {
    meaning: 'On a Workspace: the operator may not connect to the address in `spec.url`.',
    remedy: 'Correct `spec.url`, or ask those who run the operator to allow it (`--workspace-url`, `--allow-network`).',
  },
  TooManyObjects: {
    meaning:
      'On a Workspace: the namespace has more objects than the operator keeps. It ignores the rest, and removes nothing from exact collections.',
    remedy: 'Delete some, move some to another namespace, or ask those who run the operator to raise `--max-objects`.',
  },
  RemovalsRefused: {
    meaning:
      'On a Workspace: a rail refuses to remove undeclared objects from an exact collection. The operator applies the rest.',
    remedy: 'The message has the remedy of the rail.',
  },
  RemovalsSuspended: {
    meaning:
      'On a Workspace: the operator removes nothing from its exact collections, because invalid objects may declare it. It applies the rest.',
    remedy: 'Correct or delete the objects that the message names.',
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;

/** The reason of a condition, in one word for programs. */
export type Reason = keyof typeof reasons;
