import { type DefinitionOf, isAnnotated, isManaged } from '@rolecall/crds';
import { Person } from '../bindings/index.ts';
import { Forgotten } from '../forgotten.ts';
import { literal } from '../literal.ts';
import { lookUpPerson } from '../lookup.ts';
import { type Context, constructId } from './context.ts';

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
    // Only where it is set, so that a configuration holds nothing that is the default.
    protected: isAnnotated(definition, 'rolecall.dev/protected') ? true : undefined,
    provider,
    ...(ignore === undefined || ignore.length === 0 ? {} : { lifecycle: { ignoreChanges: [...ignore] } }),
  });
  built.people.set(definition, () => person);
}
