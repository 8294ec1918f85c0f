import type { DesiredObject, KindName } from '../model/desired.ts';
import { dataSourceKind } from './data-source.ts';
import type { Kind, Observation } from './kind.ts';
import { permissionKind } from './permission.ts';
import { personKind } from './person.ts';
import { roleKind } from './role.ts';
import { roleMembershipKind } from './role-membership.ts';
import { snippetKind } from './snippet.ts';

/** The rules of each kind, in the order in which plans list the kinds. */
export const kinds = {
  DataSource: dataSourceKind,
  Person: personKind,
  Role: roleKind,
  RoleMembership: roleMembershipKind,
  Permission: permissionKind,
  Snippet: snippetKind,
} as const;

/** The same registry for code that does not care which kind it has: each desired object goes to its own kind only. */
export const kindOf = (name: KindName): Kind<DesiredObject, Observation> => kinds[name];

const naturalKeys = new WeakMap<DesiredObject, string>();

/** The natural key of a desired object, made once: the operator keeps its desired objects from one plan to the next. */
export function naturalKeyOf(object: DesiredObject): string {
  const cached = naturalKeys.get(object);
  if (cached !== undefined) return cached;
  const key = kindOf(object.kind).key(object);
  naturalKeys.set(object, key);
  return key;
}
