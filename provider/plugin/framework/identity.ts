import type { MessageInput } from '../messages/fields.ts';
import { type identitySchema } from '../messages/messages.ts';
import type { Type } from '../values/type.ts';
import { isUnknown, type ObjectValue } from '../values/value.ts';
import type { Resource } from './resource.ts';

/** An object's identity: the attributes that tell it from all others, which Terraform (1.12 and newer) stores beside its state. */

type Identified = Pick<Resource<never>, 'identity' | 'schema'>;

/** Today's form of the identities; none has changed yet. */
export const identityVersion = 0;

export function identityTypeOf({ identity, schema }: Identified): Type {
  return ['object', Object.fromEntries(identity.map((name) => [name, schema.attributes[name]?.type ?? 'string']))];
}

export function toIdentitySchema({ identity, schema }: Identified): MessageInput<typeof identitySchema> {
  return {
    version: identityVersion,
    identityAttributes: identity.map((name) => ({
      name,
      type: Buffer.from(JSON.stringify(schema.attributes[name]?.type ?? 'string')),
      requiredForImport: true,
      description: schema.attributes[name]?.description ?? '',
    })),
  };
}

/** The identity of an object; undefined where an attribute is not known yet. */
export function identityOf({ identity }: Pick<Identified, 'identity'>, object: ObjectValue): ObjectValue | undefined {
  const parts = identity.map((name) => [name, object[name] ?? null] as const);
  return parts.some(([, value]) => value === null || isUnknown(value)) ? undefined : Object.fromEntries(parts);
}

/** The id by which the object of an identity is imported: its parts, joined by slashes. */
export function importIdOf({ identity }: Pick<Identified, 'identity'>, value: ObjectValue): string {
  return identity.map((name) => (typeof value[name] === 'string' ? value[name] : '')).join('/');
}
