import type { GatewayOptions, GatewayProcess, Service, ServiceOptions } from './service-options.ts';

export { type Backup, BackupError, backupStore } from './admin/backup.ts';
export {
  createKey,
  KeyError,
  type KeyStore,
  type ListedKey,
  listKeys,
  type NewKey,
  revokeKey,
  rotateKey,
} from './admin/keys.ts';
export { RekeyError, type Rekeyed, rekeyStore } from './admin/rekey.ts';
export { type Restored, RestoreError, type RestoreOptions, restoreStore } from './admin/restore.ts';
export { type SeedEntry, SeedError, type SeedProblem, seedEditors } from './admin/seed.ts';
export type { Comparison } from './audit/against.ts';
export {
  type Checkpoint,
  CheckpointError,
  compareAudit,
  listAudit,
  makeCheckpoint,
  resumeAudit,
  verifyAudit,
} from './audit/audit-trail.ts';
export type { Actor, Change, Entry, FieldValue } from './audit/entry.ts';
export { type EntryQuery, type EntrySource, type ListedEntry, readEntries } from './audit/read.ts';
export type { Verification } from './audit/verify.ts';
export type { Clock } from './clock.ts';
export { type StoreLocation, StoreLocationError } from './data/store-location.ts';
export type { Limits } from './http/limits/limits.ts';
export { TlsError, type TlsFiles } from './http/tls.ts';
export type { Environment } from './secrets/key-source.ts';
export type { GatewayOptions, GatewayProcess, Service, ServiceOptions } from './service-options.ts';
export { SettingsError, type SettingsProblem } from './settings-error.ts';
export { MailOptionsError } from './sign-in/mailer.ts';
export { type OidcIssuer, parseOidc } from './sign-in/oidc/settings.ts';
export type { KeyRecord } from './store/api-key.ts';
export {
  StoreKeyError,
  StoreLockedError,
  StoreUnavailableError,
  StoreUrlError,
  StoreVersionError,
} from './store/errors.ts';
export { parseTrust, type TrustRule } from './tokens/rules.ts';

/**
 * Starts the workspace service on a store. Prints nothing. Loads what serves HTTP only now: a command that reads a
 * store or makes a key does not need it.
 *
 * @throws MailOptionsError, NetworkError, StoreLocationError, StoreUrlError, StoreLockedError, StoreVersionError, StoreKeyError,
 *   StoreUnavailableError; the listen error (EADDRINUSE, EACCES)
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  return (await import('./service.ts')).startService(options);
}

/**
 * Starts a gateway on a store in PostgreSQL, beside the services that share it. Prints nothing.
 *
 * @throws NetworkError, TlsError, StoreUrlError, StoreVersionError, StoreKeyError, StoreUnavailableError; Node's own where it
 *   cannot listen
 */
export async function startGateway(options: GatewayOptions): Promise<GatewayProcess> {
  return (await import('./gateway/process.ts')).startGateway(options);
}
