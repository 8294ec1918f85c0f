import { markdown, type SchemaMessage } from '../messages/messages.ts';
import type { Type } from '../values/type.ts';
import type { Value } from '../values/value.ts';

/** The problem of a value, and what to write instead. */
export interface Fault {
  readonly message: string;
  readonly remedy: string;
}

/** The source of an attribute's value: the configuration (required or optional), the provider (computed), or either. */
export type Presence = 'required' | 'optional' | 'computed' | 'optional-computed';

export interface Attribute {
  readonly type: Type;
  readonly presence: Presence;
  /** Markdown; the registry's page has it too. */
  readonly description: string;
  readonly sensitive?: true;
  /** Given by the configuration, passed on, and never stored (Terraform 1.11). */
  readonly writeOnly?: true;
  /** The value if the configuration leaves it out. */
  readonly default?: Value;
  /** Not known before the apply whenever something else changes; otherwise a computed value stays as it was. */
  readonly recomputed?: true;
  /** Checks a known value that is not null. */
  readonly check?: (value: Value) => Fault | undefined;
}

export interface Schema {
  readonly version: number;
  /** Markdown. */
  readonly description: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** Makes attributes that a configuration has to give, may give, and that only the provider gives. */
export const [required, optional, computed] = [attributes('required'), attributes('optional'), attributes('computed')];

function attributes(presence: Presence) {
  return (type: Type, description: string, check?: Attribute['check']): Attribute => ({
    type,
    presence,
    description,
    ...(check && { check }),
  });
}

/** The type of the object that a schema describes. */
export function typeOf(schema: Schema): Type {
  return ['object', Object.fromEntries(Object.entries(schema.attributes).map(([name, { type }]) => [name, type]))];
}

export function isComputed({ presence }: Attribute): boolean {
  return presence === 'computed' || presence === 'optional-computed';
}

/** A schema as Terraform asks for it. */
export function toMessage({ version, description, attributes }: Schema): SchemaMessage {
  return {
    version,
    block: {
      version,
      description,
      descriptionKind: markdown,
      attributes: Object.entries(attributes).map(([name, attribute]) => ({
        name,
        type: Buffer.from(JSON.stringify(attribute.type)),
        description: attribute.description,
        descriptionKind: markdown,
        required: attribute.presence === 'required',
        optional: attribute.presence === 'optional' || attribute.presence === 'optional-computed',
        computed: isComputed(attribute),
        sensitive: attribute.sensitive ?? false,
        writeOnly: attribute.writeOnly ?? false,
      })),
    },
  };
}
