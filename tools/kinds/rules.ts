import type { KindName } from '@rolecall/crds';

/** Rules that the schemas of the kinds cannot express, in sentences for the page of each. */
export const kindRules: Readonly<Record<KindName, readonly string[]>> = {
  Workspace: [
    'It describes how to reach a workspace and is not an object in it, so it has no natural key. You can omit it: then the address and the key come from the environment, nothing is exact, and the rails have their defaults.',
    'If you declare several, every other definition names its own in `workspaceRef`.',
    'Rolecall removes undeclared objects from an `exact` collection. The `people` and `dataSources` lists of a Role are always exact and need no `exact` here.',
    '`memberships` covers the roles that a definition declares or a RoleMembership names: Rolecall removes members whom neither a list nor a RoleMembership names. `roles` includes it. If a RoleMembership refers to an object that does not exist, the roles that it may mean keep their members.',
  ],
  DataSource: [
    'Natural key: the alias. Rolecall changes the name and the connection in place; so too the alias, where it remembers the data source.',
    'Without `passwordFrom`, Rolecall leaves the password in the service alone. It then refuses a changed connection while the service holds a password, because it sends the whole URI and the password would be lost.',
    'A parameter that is in use and declared no more is removed. A service other than the bundled one may add parameters by itself; there they are not drift.',
  ],
  Person: [
    'Natural key: the username, whatever its case. The e-mail address is unique too.',
    'A changed name or e-mail address is edited in place: sessions, factors, editors, grants and snippets stay. A service of [the specification](../api-reference.md#the-specification) alone cannot edit people; there the plan refuses the change (`not-editable`).',
    'A name or address that differs in case or Unicode form only is the same: Rolecall leaves it as it is. With `ignore: [name]`, every other name is left as it is too, so that a directory can keep the names.',
    'A changed `username` renames the person whom Rolecall remembers for the definition. Where it remembers none, and there is no annotation `rolecall.dev/id`, it means another person.',
    '`locked` is always declared, if only by its default: if someone locks the person in the workspace, that is drift.',
  ],
  Role: [
    'Natural key: the name. A changed name renames the role that Rolecall remembers for the definition. Where it remembers none, and there is no annotation `rolecall.dev/id`, it means another role. A service of [the specification](../api-reference.md#the-specification) alone cannot rename roles; there the plan refuses that (`not-editable`).',
    'A list is exact; an empty list `[]` empties the role. If you omit a list, Rolecall leaves these members alone; if memberships are exact, the role then has only the members of its RoleMemberships. Members that RoleMemberships add count as listed.',
    '`dataSourceSelector` selects from the DataSources that are declared for the same workspace, by `metadata.labels`; all labels must match. It counts as a list, together with `dataSources`. Plans, reports and `export` show the data sources that it comes to. Who may change the labels of a DataSource decides which roles reach it.',
    '`roles` names other Roles of the same workspace. The role gives the data sources that their definitions list and select, that RoleMemberships add to them, and that the roles within them give. It gives none of their people, snippets, annotations or administration. It counts as a list, together with `dataSources`, and plans, reports and `export` show the data sources that it comes to. Every contained role must be declared; a role cannot contain itself, and contains at most 100 roles, nested ones included.',
    'Reports show `reason` and `owner`, and a plan the reason of a new role. The service stores neither.',
  ],
  RoleMembership: [
    'Natural key: role and member, and the time where it has one. It adds and never removes. If you delete its definition, Rolecall removes the membership, unless a list or another definition has the member in.',
    'With `startsAt`, `expiresAt` or `duration`, the person has the role only then. The bundled service begins and ends the access at these moments by itself, and no pipeline has to run. Several definitions may give one person several times in one role; if one of them has no time, or the role lists the person, they have the role always.',
    'Reports show `reason` and `owner`, before those of the role; a plan shows the reason of a new membership. The service stores neither.',
    'A time that is over causes no steps. It stays in the workspace as a record until you delete the definition.',
    'Without `startsAt` the command line needs `expiresAt`: it does not remember when a `duration` began (`rolecall anchor` writes it down).',
    'A service of [the specification](../api-reference.md#the-specification) alone does not keep times. There the operator, or each run of `rolecall apply`, gives and takes the membership as the moment is, and the plan says so.',
  ],
  Permission: [
    'Natural key: person, data source and window, matched to the millisecond. Without `startsAt`, the definition matches any permission that has begun and ends at the declared moment.',
    'A changed window is moved by one call, where Rolecall remembers the permission: a later end cuts nobody, an earlier one cuts at its moment. On a service of [the specification](../api-reference.md#the-specification) alone it means a new permission.',
    'Without `startsAt` the command line needs `expiresAt`: it does not remember when a `duration` began.',
    'A window that is over causes no steps if it was granted. Rolecall refuses one that was never granted here, unless you annotate it `rolecall.dev/ended: "true"`.',
    'Plans and reports show the `reason`. The service does not store it.',
  ],
  Snippet: [
    'Natural key: the owner and the name of the active version. A changed name is a new version, and a changed owner an edit, where Rolecall remembers the snippet; else they mean another snippet.',
    'New text or a new description becomes a new version, which Rolecall then activates. If an older version has it already, Rolecall activates that one.',
  ],
};

/** The same for the fields that every kind but Workspace has. */
export const commonRules: readonly string[] = [
  '`deletionPolicy: Orphan` leaves the object in the workspace when its definition goes. On the command line, apply it once before you delete the definition.',
  'An observed or paused object still counts as declared, so Rolecall does not remove it from an exact collection.',
];
