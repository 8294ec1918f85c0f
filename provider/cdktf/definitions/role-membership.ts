import { type DefinitionOf, isManaged, listOf } from '@rolecall/crds';
import { RoleDataSource, RolePerson } from '../bindings/index.ts';
import { Forgotten } from '../forgotten.ts';
import { type Context, constructId, dataSourceId, personId, roleId } from './context.ts';

/**
 * Builds one membership. Where the role's own list has taken it in, it is forgotten: deleting it would take the member out
 * of the role that the list has just put it into.
 */
export function buildMembership(definition: DefinitionOf<'RoleMembership'>, context: Context): void {
  const { scope, provider, references } = context;
  const { role, person, dataSource, startsAt, expiresAt, durationSeconds } = definition.spec;
  const id = constructId('membership', definition);
  const isForgotten = !isManaged(definition) || listOf(references, definition) !== undefined;
  if (person !== undefined) {
    if (isForgotten) new Forgotten(scope, id, RolePerson.tfResourceType);
    else {
      const personIdOf = personId(context, person, definition);
      new RolePerson(scope, id, {
        roleId: roleId(context, role, definition),
        personId: personIdOf,
        startsAt,
        expiresAt,
        duration: durationSeconds === undefined ? undefined : `${durationSeconds}s`,
        provider,
      });
    }
    return;
  }
  if (isForgotten) new Forgotten(scope, id, RoleDataSource.tfResourceType);
  else {
    const dataSourceIdOf = dataSourceId(context, dataSource ?? '', definition);
    new RoleDataSource(scope, id, {
      roleId: roleId(context, role, definition),
      dataSourceId: dataSourceIdOf,
      provider,
    });
  }
}
