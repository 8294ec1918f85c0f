import type { AccessLevel, DataSource, DeclarableKind, FactorKind, GatewaySession, Scope } from '@rolecall/api';
import type { ColumnType, Generated } from 'kysely';

/**
 * The tables of the store, as Kysely sees them. Times are ISO 8601 texts with milliseconds, which sort as they stand;
 * flags are 0 and 1, which every store can hold. `seq` counts up in the order of creation: lists go by it.
 */
export interface Tables {
  api_key: ApiKeyTable;
  audit_entry: AuditEntryTable;
  audit_head: AuditHeadTable;
  audit_sink: AuditSinkTable;
  collection_version: { name: string; version: Generated<number> };
  data_source: DataSourceTable;
  /** Objects that the definitions of a manager stand for. */
  declaration: DeclarationTable;
  /** Origin of a manager's definitions. */
  declaration_origin: { manager: string; origin: string; at: string };
  editor: EditorTable;
  editor_message: EditorMessageTable;
  editor_tab: EditorTabTable;
  gateway_password: GatewayPasswordTable;
  /** Processes with sessions of the gateway; one whose lease is over has none. */
  gateway_process: { id: string; name: string; lease_until: string };
  gateway_session: GatewaySessionTable;
  idempotency_key: IdempotencyKeyTable;
  lease: { id: string; key_id: string; holder: string; taken_at: string; expires_at: string };
  manager: { kind: string; id: string; manager: string; at: string };
  permission: PermissionTable;
  one_time_token: OneTimeTokenTable;
  person: PersonTable;
  person_session: PersonSessionTable;
  query: QueryTable;
  query_command: { query_id: string; ordinal: number; text: string };
  query_result: QueryResultTable;
  query_rows: QueryRowsTable;
  role: RoleTable;
  role_data_source: { seq: Generated<number>; role_id: string; data_source_id: string; assigned_at: string };
  role_person: { seq: Generated<number>; role_id: string; person_id: string; assigned_at: string };
  /** Times in which a person has a role; a membership without any holds as long as it is there. */
  role_person_window: {
    seq: Generated<number>;
    role_id: string;
    person_id: string;
    starts_at: string | null;
    expires_at: string | null;
  };
  sign_in_factor: SignInFactorTable;
  snippet: SnippetTable;
  snippet_version: SnippetVersionTable;
  store_meta: { name: string; value: string };
}

/** A column of texts, into which the service writes only these. */
type Only<T extends string> = ColumnType<T, string, string>;

export interface PersonTable {
  seq: Generated<number>;
  id: string;
  name: string;
  username: string;
  /** Normalised, since usernames are unique without regard to case. */
  username_key: string;
  email: string;
  email_key: string;
  is_locked: Generated<number>;
  two_factor_enabled: Generated<number>;
  created_at: string;
}

export interface DataSourceTable {
  seq: Generated<number>;
  id: string;
  name: string;
  alias: string | null;
  type: Only<DataSource['type']>;
  /** The whole connection URI, sealed with the row's id. */
  sealed_uri: Uint8Array;
  /** URI that a list may show. */
  shown_uri: string;
  created_at: string;
  updated_at: string;
}

export interface DeclarationTable {
  manager: string;
  kind: Only<DeclarableKind>;
  id: string;
  definition: string;
  is_kept: number;
  at: string;
}

export interface RoleTable {
  seq: Generated<number>;
  id: string;
  name: string;
  created_at: string;
  updated_at: string;
}

export interface PermissionTable {
  id: Generated<number>;
  person_id: string;
  data_source_id: string;
  starts_at: string;
  expires_at: string;
  created_at: string;
}

export interface SnippetTable {
  seq: Generated<number>;
  id: string;
  active_version_id: string;
  is_locked: number;
  public_access_level: Only<AccessLevel>;
  owner_person_id: string | null;
  owner_role_id: string | null;
  created_at: string;
  updated_at: string;
}

export interface SnippetVersionTable {
  seq: Generated<number>;
  id: string;
  snippet_id: string;
  name: string;
  description: string;
  text: string;
  created_by_person_id: string | null;
  created_at: string;
}

export interface EditorTable {
  seq: Generated<number>;
  id: string;
  person_id: string;
  data_source_id: string;
  created_at: string;
  updated_at: string;
}

export interface EditorTabTable {
  seq: Generated<number>;
  id: string;
  editor_id: string;
  title: string;
  text: string;
  created_at: string;
  /** Counts its changes. */
  version: Generated<number>;
}

export interface EditorMessageTable {
  seq: Generated<number>;
  id: string;
  editor_id: string;
  title: string;
  message: string;
  created_at: string;
}

export interface QueryTable {
  id: string;
  data_source_id: string;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  success: number | null;
  num_results: number | null;
  /** Until when the service that runs it counts as alive, by the store's clock. */
  lease_until: string;
  /** The process that runs it. */
  runner: string | null;
  /** Set by another process that wants the query stopped. */
  stop_reason: string | null;
  /** The person who runs it in an editor; null for a query that an API key runs. */
  person_id: string | null;
  editor_id: string | null;
  tab_id: string | null;
}

/** A session of a person. */
export interface PersonSessionTable {
  id: string;
  /** SHA-256 of the token, which is stored nowhere. */
  token_hash: Uint8Array;
  person_id: string;
  kind: Only<'browser' | 'command_line'>;
  state: Only<'pending' | 'enrolling' | 'whole'>;
  /** The factors that were proven, with blanks between. */
  factors: string;
  created_at: string;
  /** Written a few seconds after the use. */
  last_used_at: string;
  /** Seconds that it lives without a request; null for one that an older version opened. */
  idle_seconds: number | null;
  /** Time at which a factor was last proven. */
  proven_at: string;
  expires_at: string;
  address: string;
  client: string;
  /** Issuer and session of an OpenID provider, for its log-out; null without one. */
  provider_session: string | null;
  /** Keyed, over what decides: a row that was changed or made in the database is no session. */
  mac: Uint8Array;
}

/** A short-lived password for the gateway, of a person for a data source. */
export interface GatewayPasswordTable {
  id: string;
  person_id: string;
  data_source_id: string;
  session_id: string;
  /** Proof of the password, and its end: JSON, sealed with the row's id, person and data source. */
  sealed: Uint8Array;
  created_at: string;
  /** The sealed one decides. */
  expires_at: string;
}

/** An open session through the gateway. */
export interface GatewaySessionTable {
  id: string;
  /** The process that has it. */
  process_id: string;
  person_id: string;
  data_source_id: string;
  protocol: Only<GatewaySession['protocol']>;
  address: string;
  client: string;
  started_at: string;
  /** Set by another process that wants it ended. */
  end_reason: string | null;
  /** Place of the session at the server of its data source, as JSON, for whoever ends it after its process has died. */
  at_server: string | null;
}

/** Something by which a person signs in: a password, a TOTP seed, a recovery code, a passkey, an account at a provider. */
export interface SignInFactorTable {
  id: string;
  person_id: string;
  kind: Only<FactorKind>;
  name: string;
  /** JSON, sealed with the row's id, person and kind: it opens for no other. */
  sealed: Uint8Array;
  /** Finds a passkey by its credential, or an account by its issuer and subject; unique; null for other kinds. */
  lookup: string | null;
  /** The last TOTP step that was used, or the signature counter of a passkey. */
  counter: number;
  created_at: string;
  last_used_at: string | null;
}

/** A token that works once, and the state that it stands for: an invitation, a sign-in under way, a device that waits. */
export interface OneTimeTokenTable {
  id: string;
  kind: string;
  /** SHA-256 of the token. */
  token_hash: Uint8Array;
  person_id: string | null;
  /** JSON, sealed with the row's id and kind. */
  sealed: Uint8Array;
  /** A second way to find it, such as the code that a person types; unique; null for none. */
  lookup: string | null;
  created_at: string;
  expires_at: string;
}

/** Rows of a result as they came; only in stores that have no files beside them. */
export interface QueryRowsTable {
  query_id: string;
  ordinal: number;
  first_row: number;
  num_rows: number;
  /** Ends of the rows' JSON within `rows`, as unsigned 32-bit integers, little-endian. */
  ends: Uint8Array;
  /** The rows' JSON with a comma between two rows. */
  rows: Uint8Array;
}

export interface QueryResultTable {
  query_id: string;
  ordinal: number;
  type: string;
  started_at: string;
  completed_at: string | null;
  /** JSON, as the API answers it. */
  detail: string;
}

export interface ApiKeyTable {
  id: string;
  /** Name that its maker gave it. */
  name: string | null;
  /** The keyed hash of the secret; the secret itself is stored nowhere. */
  secret_hash: Uint8Array;
  scope: Only<Scope>;
  /** The identifiers of the data sources that it is limited to, with blanks between; null for all. */
  data_sources: string | null;
  created_at: string;
  rotated_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  /** Keyed, over every other column: a row that was changed in the database is no key any more. */
  mac: Uint8Array | null;
  token_digest: string | null;
  token_expires_at: string | null;
}

export interface AuditEntryTable {
  /** Without gaps, from 1. */
  seq: number;
  /** JSON, byte for byte what was hashed. */
  content: string;
  /** Over the hash before and the content, in hexadecimal digits. */
  hash: string;
  /** Keyed, over the number and the hash; null in entries from before entries were sealed one by one. */
  mac: string | null;
}

/** One row: the last entry, so that a trail whose end was cut off is known. */
export interface AuditHeadTable {
  name: string;
  seq: number;
  hash: string;
  /** Keyed, over both: who has the store without its key cannot write another end. Empty before the first entry. */
  mac: string;
}

/** A receiver of the audit trail. */
export interface AuditSinkTable {
  name: string;
  /** The last entry that it has taken, and its hash. */
  seq: number;
  hash: string;
  /** The process that delivers to it, and until when by the store's clock. */
  owner: string;
  lease_until: string;
}

export interface IdempotencyKeyTable {
  api_key_id: string;
  key: string;
  /** Keyed hash of the request. */
  fingerprint: Uint8Array;
  /** The body of the answer, sealed; null only within the transaction that makes it. */
  answer: Uint8Array | null;
  created_at: string;
}
