/**
 * Protocol Buffers, as far as Terraform's plugin protocol uses them: a codec that is driven by a table of fields
 * (https://protobuf.dev/programming-guides/encoding).
 */

export class ProtobufError extends Error {
  override name = 'ProtobufError';
  readonly code = 'ERR_PROTOBUF';
}

/** A message's fields by name. */
export type Fields = Readonly<Record<string, Field>>;

/** A message that is named in a table; lazy, as messages may contain themselves. */
type Lazy<F extends Fields> = () => F;

export type Field =
  | { readonly number: number; readonly kind: 'string' | 'bytes' | 'bool' | 'int'; readonly presence?: true }
  | { readonly number: number; readonly kind: 'message' | 'messages' | 'map'; readonly fields: Lazy<Fields> };

export const string = <const N extends number>(number: N) => ({ number, kind: 'string' }) as const;
export const bytes = <const N extends number>(number: N) => ({ number, kind: 'bytes' }) as const;
export const bool = <const N extends number>(number: N) => ({ number, kind: 'bool' }) as const;
export const int = <const N extends number>(number: N) => ({ number, kind: 'int' }) as const;
/** A whole number for which zero and absent differ. */
export const optionalInt = <const N extends number>(number: N) => ({ number, kind: 'int', presence: true }) as const;
export const message = <F extends Fields>(number: number, fields: Lazy<F>) =>
  ({ number, kind: 'message', fields }) as const;
export const messages = <F extends Fields>(number: number, fields: Lazy<F>) =>
  ({ number, kind: 'messages', fields }) as const;
/** A map from strings to messages. */
export const map = <F extends Fields>(number: number, fields: Lazy<F>) => ({ number, kind: 'map', fields }) as const;

type TypeOf<F> = F extends { kind: 'string' }
  ? string
  : F extends { kind: 'bytes' }
    ? Uint8Array
    : F extends { kind: 'bool' }
      ? boolean
      : F extends { kind: 'int'; presence: true }
        ? number | undefined
        : F extends { kind: 'int' }
          ? number
          : F extends { kind: 'message'; fields: Lazy<infer M> }
            ? MessageOf<M> | undefined
            : F extends { kind: 'messages'; fields: Lazy<infer M> }
              ? readonly MessageOf<M>[]
              : F extends { kind: 'map'; fields: Lazy<infer M> }
                ? Readonly<Record<string, MessageOf<M>>>
                : never;

/** A decoded message: absent fields have their defaults. */
export type MessageOf<M> = { readonly [K in keyof M]: TypeOf<M[K]> };

type InputOf<F> = F extends { kind: 'message'; fields: Lazy<infer M> }
  ? MessageInput<M> | undefined
  : F extends { kind: 'messages'; fields: Lazy<infer M> }
    ? readonly MessageInput<M>[] | undefined
    : F extends { kind: 'map'; fields: Lazy<infer M> }
      ? Readonly<Record<string, MessageInput<M>>> | undefined
      : TypeOf<F> | undefined;

/** A message to encode: omitted fields are absent. */
export type MessageInput<M> = { readonly [K in keyof M]?: InputOf<M[K]> };

/** The wire types of the encoding. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

export interface Entry {
  readonly number: number;
  readonly name: string;
  readonly field: Field;
}

const tables = new WeakMap<Fields, ReadonlyMap<number, Entry>>();

/** The fields of a message by their numbers. */
export function tableOf(fields: Fields): ReadonlyMap<number, Entry> {
  const cachedTable = tables.get(fields);
  if (cachedTable !== undefined) return cachedTable;
  const table = new Map(
    Object.entries(fields).map(([name, field]) => [field.number, { number: field.number, name, field }]),
  );
  tables.set(fields, table);
  return table;
}
