import type { KindName } from '@rolecall/crds';

/** What the schemas of the kinds cannot say, in sentences for the page of each. */
export const kindRules: Readonly<Record<KindName, readonly string[]>> = {
  Workspace: [
    'It is not an object of a workspace but the way to one, so it has no natural key. A set may do without: then the address and the key come from the environment, nothing is exact, and the rails have their defaults.',
    'Where a set declares several, every other definition names its own in `workspaceRef`.',
    'In an `exact` collection whatever is not declared is removed. The `people` and `dataSources` lists of a Role are exact by themselves and need no `exact` here.',
    '`memberships` covers the roles that a definition declares or a RoleMembership names: who is in one of them by no list and by no RoleMembership is taken out. `roles` includes it. Where a RoleMembership refers to something that does not exist, the roles that it may mean keep their members.',
  ],
  DataSource: [
    'Natural key: the alias. The name and the connection are changed in place; a changed alias is another data source.',
    'Without `passwordFrom` the password that the service holds is left alone. A changed connection without `passwordFrom` is refused while the service holds a password, because the whole URI is sent: the password would be lost.',
    'Parameters that the service added by itself are no drift.',
  ],
  Person: [
    'Natural key: the username, whatever its case. The e-mail address is unique too.',
    'People cannot be edited in the workspace. A changed name or e-mail address deletes the person and creates another one, so it is refused without the annotation `rolecall.dev/replace-allowed: "true"`; the plan then lists every grant that ends and is made again, and is refused while the person has one that no definition gives back.',
    'A changed `username` is another person, who needs another e-mail address too as long as the old one is there (`email-taken`).',
    '`locked` is always declared, if only by its default: a lock that somebody sets in the workspace is drift.',
  ],
  Role: [
    'Natural key: the name. A role cannot be renamed: a new name is a new role. Where roles are exact, the old one is removed once nobody loses by it what the new one gives.',
    'A list that is given is exact; an empty list `[]` empties the role. A list that is left out is left alone; where memberships are exact, the role then has the members of its RoleMemberships only. What RoleMemberships add to the role counts as listed.',
  ],
  RoleMembership: [
    'Natural key: role and member. It adds and never removes. When its definition is deleted, the membership goes if memberships are exact or the role has a list of that kind. Otherwise it stays, and the plan counts it as undeclared.',
  ],
  Permission: [
    'Natural key: person, data source and window, matched to the millisecond. Without `startsAt`, any permission that has begun and ends at the declared moment is the one that is meant.',
    'Permissions cannot be edited: a changed window is a new permission. Where permissions are exact, the old one is removed once the new one is granted.',
    'Without `startsAt` the command line needs `expiresAt`: it does not remember when a `duration` began.',
    'A window that is over makes no plan, if it was granted. One that was never granted here is refused, unless it is annotated `rolecall.dev/ended: "true"`.',
    '`reason` is shown in plans. The service does not keep it.',
  ],
  Snippet: [
    'Natural key: the owner and the name of the active version. A changed name or owner is another snippet.',
    'New text or a new description is a new version, which is then activated. Where an older version has it already, that one is activated.',
  ],
};

/** The same for the fields that every kind but Workspace has. */
export const commonRules: readonly string[] = [
  '`deletionPolicy` is for the Kubernetes operator. The command line does not see that a definition was deleted: what is no longer declared stays, except in the collections that the Workspace declares exact, from which it is removed.',
  'What is observed or paused still counts as declared: it is not removed from an exact collection.',
];
