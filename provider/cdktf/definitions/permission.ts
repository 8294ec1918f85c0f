import { type DefinitionOf, isManaged } from '@rolecall/crds';
import { Permission } from '../bindings/index.ts';
import { Forgotten } from '../forgotten.ts';
import { type Context, constructId, dataSourceId, personId } from './context.ts';

export function buildPermission(definition: DefinitionOf<'Permission'>, context: Context): void {
  const { scope, provider } = context;
  const { person, dataSource, startsAt, expiresAt, durationSeconds } = definition.spec;
  const id = constructId('permission', definition);
  if (!isManaged(definition)) {
    new Forgotten(scope, id, Permission.tfResourceType);
    return;
  }
  new Permission(scope, id, {
    personId: personId(context, person, definition),
    dataSourceId: dataSourceId(context, dataSource, definition),
    startsAt,
    expiresAt,
    duration: durationSeconds === undefined ? undefined : `${durationSeconds}s`,
    provider,
  });
}
