import { type DefinitionOf, isManaged } from '@rolecall/crds';
import { Snippet } from '../bindings/index.ts';
import { Forgotten } from '../forgotten.ts';
import { literal } from '../literal.ts';
import { type Context, constructId, personId, roleId } from './context.ts';

export function buildSnippet(definition: DefinitionOf<'Snippet'>, context: Context): void {
  const { scope, provider } = context;
  const { name, description, text = '', owner, publicAccessLevel, locked } = definition.spec;
  const id = constructId('snippet', definition);
  if (!isManaged(definition)) {
    new Forgotten(scope, id, Snippet.tfResourceType);
    return;
  }
  new Snippet(scope, id, {
    name: literal(name),
    description: literal(description),
    text: literal(text),
    ownerPersonId: owner?.person === undefined ? undefined : personId(context, owner.person, definition),
    ownerRoleId: owner?.role === undefined ? undefined : roleId(context, owner.role, definition),
    publicAccessLevel,
    locked,
    provider,
  });
}
