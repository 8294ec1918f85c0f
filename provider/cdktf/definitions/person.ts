import { type DefinitionOf, isAnnotated, isManaged } from '@rolecall/crds';
import { Person } from '../bindings/index.ts';
import { Forgotten } from '../forgotten.ts';
import { literal } from '../literal.ts';
import { lookUpPerson } from '../lookup.ts';
import { type Context, constructId } from './context.ts';

/** Annotations become attributes only where they are set, so that a configuration holds nothing that is the default. */
const flag = (definition: DefinitionOf<'Person' | 'Role'>, name: 'protected' | 'replace-allowed'): true | undefined =>
  isAnnotated(definition, `rolecall.dev/${name}`) ? true : undefined;

export function buildPerson(definition: DefinitionOf<'Person'>, context: Context): void {
  const { scope, provider, built } = context;
  const { username, name, email, locked, ignore } = definition.spec;
  const id = constructId('person', definition);
  if (!isManaged(definition)) {
    new Forgotten(scope, id, Person.tfResourceType);
    built.people.set(definition, () => lookUpPerson(context, username, literal));
    return;
  }
  const person = new Person(scope, id, {
    username: literal(username),
    name: literal(name),
    email: literal(email),
    locked,
    protected: flag(definition, 'protected'),
    replaceAllowed: flag(definition, 'replace-allowed'),
    provider,
    ...(ignore === undefined || ignore.length === 0 ? {} : { lifecycle: { ignoreChanges: [...ignore] } }),
  });
  built.people.set(definition, () => person);
}
