import type { actorTypes, changeActions, objectKinds } from '@rolecall/api';

/** The content of the audit trail; docs/audit.md documents it. */

/** The author of a change. */
export interface Actor {
  readonly type: (typeof actorTypes)[number];
  readonly id: string;
  /** Of an API key that has one. */
  readonly name?: string | undefined;
}

/** Stands for an arbitrary text: its length, and a keyed digest that is the same for equal texts. */
export type TextDigest = {
  readonly characters: number;
  readonly digest: string;
  /** Of a statement, if the service records texts: its beginning, or all of it. */
  readonly text?: string;
};

export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [name: string]: FieldValue };
export type Fields = Readonly<Record<string, FieldValue>>;

export type ObjectKind = (typeof objectKinds)[number];

/** Change of an object. */
export interface Change {
  readonly kind: ObjectKind;
  /** Of a membership: the identifiers of the role and the member, with a slash between. */
  readonly id: string;
  /** The name that people use; absent if it has none. */
  readonly name?: string | undefined;
  readonly action: (typeof changeActions)[number];
  /** Of what was deleted: all fields; of what changed: those that changed. */
  readonly before?: Fields | undefined;
  readonly after?: Fields | undefined;
  /** Words for changes of secrets, which no field shows. */
  readonly secrets?: readonly string[] | undefined;
  /** Set if this only follows from another change of the request: the first of its entry, or of the entry before it. */
  readonly along?: true | undefined;
}

/** The record of one operation, before it has its place in the chain. */
export interface EntryDraft {
  /** ISO 8601, of the service's own clock. */
  readonly at: string;
  readonly actor: Actor;
  /** The operation's id; of the command line, the command. */
  readonly operation: string;
  /** As in the answer and the log. */
  readonly requestId: string | null;
  readonly changes: readonly Change[];
}

export interface Entry extends EntryDraft {
  readonly seq: number;
}

/** Records what an operation changes. The entry is written in the transaction of the change. */
export type RecordChanges = (changes: readonly Change[]) => void;
