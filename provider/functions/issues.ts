import {
  type DefinitionOf,
  isAnnotated,
  isManaged,
  type Loaded,
  listOf,
  type ObjectDefinition,
  type Path,
  placeOf,
} from '@rolecall/crds';

type Issue = Parameters<Loaded['locate']>[0][number];

/** What maps by metadata.name, and resources with `for_each` over them, cannot keep to. */
export function findIssues(objects: readonly ObjectDefinition[], references: Loaded['references']): Issue[] {
  return [
    ...sameNames(objects.filter(isManaged)),
    ...objects.flatMap((each) => [
      ...orphanIssues(each),
      ...(each.kind === 'RoleMembership' ? membershipIssues(each, references) : []),
    ]),
  ];
}

function issue({ source }: ObjectDefinition, path: Path, message: string, remedy: string): Issue {
  return { severity: 'error', code: 'not_in_terraform', path, at: 'value', message, remedy, source };
}

function sameNames(objects: readonly ObjectDefinition[]): Issue[] {
  const byName = Map.groupBy(objects, ({ kind, metadata: { name } }) => `${kind}/${name}`);
  return [...byName].flatMap(([name, [first, ...others]]) =>
    others.map((other) => {
      const place = first === undefined ? '' : ` at ${placeOf(first)}`;
      const message = `is the name of another ${name}${place}, in another namespace: of the two one would be lost`;
      const remedy = 'Give one of them another name, or call the function for each namespace.';
      return issue(other, ['metadata', 'name'], message, remedy);
    }),
  );
}

function orphanIssues(definition: ObjectDefinition): Issue[] {
  if (definition.spec.deletionPolicy !== 'Orphan' || !isManaged(definition)) return [];
  const message = 'is Orphan, but Terraform deletes what is no longer configured';
  const remedy = 'Leave it out. Before the definition goes, take its resource out of the state: terraform state rm.';
  return [issue(definition, ['spec', 'deletionPolicy'], message, remedy)];
}

/** In a list that is set as a whole, a member can be or not be, but not be left as it is. */
function membershipIssues(definition: DefinitionOf<'RoleMembership'>, references: Loaded['references']): Issue[] {
  if (isManaged(definition)) return [];
  const role = listOf(references, definition);
  if (role === undefined) return [];
  const list = definition.spec.person === undefined ? 'dataSources' : 'people';
  const path = isAnnotated(definition, 'rolecall.dev/paused')
    ? ['metadata', 'annotations', 'rolecall.dev/paused']
    : ['spec', 'managementPolicy'];
  const message = `leaves this membership as it is, but Role ${role.metadata.name} lists its ${list}, which Terraform sets as a whole`;
  return [issue(definition, path, message, `Remove the membership or manage it, or leave ${list} out of the role.`)];
}
