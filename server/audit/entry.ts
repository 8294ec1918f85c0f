/** What the audit trail says; docs/audit.md explains it to who reads it. */

/** Who made a change: an API key by its id, or somebody at the command line, as `user@host`, or the service itself. */
export interface Actor {
  readonly type: 'api_key' | 'cli' | 'service';
  readonly id: string;
  /** Of an API key that has one. */
  readonly name?: string;
}

/** Stands for a text that may hold anything: how long it is, and a keyed digest that equal texts share. */
export type TextDigest = {
  readonly characters: number;
  readonly digest: string;
};

export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [name: string]: FieldValue };
export type Fields = Readonly<Record<string, FieldValue>>;

export const objectKinds = [
  'api_key',
  'data_source',
  'editor',
  'editor_message',
  'permission',
  'person',
  'query',
  'role',
  'role_data_source',
  'role_person',
  'snippet',
  'snippet_version',
] as const;
export type ObjectKind = (typeof objectKinds)[number];

/** What happened to one object. */
export interface Change {
  readonly kind: ObjectKind;
  /** Of a membership: the identifiers of the role and the member, with a slash between. */
  readonly id: string;
  /** What people know it by; absent where there is no such name. */
  readonly name?: string;
  readonly action: 'created' | 'changed' | 'deleted' | 'password read' | 'cancelled';
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
