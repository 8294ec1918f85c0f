import { isAnnotated, isManaged, type Loaded, type ObjectDefinition, type Path, placeOf } from '@rolecall/crds';

type Issue = Parameters<Loaded['locate']>[0][number];

/** What maps by metadata.name, and resources with `for_each` over them, cannot keep to. */
export function findIssues(objects: readonly ObjectDefinition[]): Issue[] {
  return [
    ...sameNames(objects.filter(isManaged)),
    ...objects.flatMap((each) => [...orphanIssues(each), ...leftAloneIssues(each)]),
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

/** Left out, it would be deleted where Terraform has it in its state, and a person with all their access. */
function leftAloneIssues(definition: ObjectDefinition): Issue[] {
  const isPaused = isAnnotated(definition, 'rolecall.dev/paused');
  if (!isPaused && definition.spec.managementPolicy !== 'Observe') return [];
  const path = isPaused ? ['metadata', 'annotations', 'rolecall.dev/paused'] : ['spec', 'managementPolicy'];
  const message =
    'leaves it as it is, which a resource of Terraform cannot: it is changed while it is given, and deleted when it is not';
  const remedy =
    'Call the function without this definition, and if Terraform has it, take it out of the state first: terraform state rm.';
  return [issue(definition, path, message, remedy)];
}
