import type { actorTypes, changeActions, objectKinds } from '@rolecall/api';

/** What the audit trail says; docs/audit.md explains it to readers. */

/** Who did it. */
export interface Actor {
  readonly type: (typeof actorTypes)[number];
  readonly id: string;
  /** Of an API key that has one. */
  readonly name?: string;
}

/** Stands for a text that may hold anything: how long it is, and a keyed digest that equal texts share. */
export type TextDigest = {
  readonly characters: number;
  readonly digest: string;
  /** Of a statement, where the service records texts: how it begins, or the whole of it. */
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

/** What happened to one object. */
export interface Change {
  readonly kind: ObjectKind;
  /** Of a membership: the identifiers of the role and the member, with a slash between. */
  readonly id: string;
  /** What people know it by; absent where there is no such name. */
  readonly name?: string;
  readonly action: (typeof changeActions)[number];
  /** Of what was deleted: all fields; of what changed: those that changed. */
  readonly before?: Fields;
  readonly after?: Fields;
  /** What is said of secrets, which are shown in no field. */
  readonly secrets?: readonly string[];
  /** It fell, or lost something, because of the change before it in the entry. */
  readonly along?: true;
}

/** What is written of one operation, before it has its place in the chain. */
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

/** Notes what an operation changes; the entry is written in the transaction of the change. */
export type RecordChanges = (changes: readonly Change[]) => void;
