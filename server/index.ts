export type { Clock } from './clock.ts';
export { NetworkError, parseNetwork } from './databases/guard/index.ts';
export { createKey, KeyError, type KeyStore, listKeys, type NewKey, revokeKey, rotateKey } from './keys.ts';
export type { Environment } from './secrets/store-key.ts';
export { type SeedEntry, SeedError, type SeedProblem, seedEditors } from './seed.ts';
export { type Service, type ServiceOptions, startService } from './service.ts';
export { closeOnSignal } from './signals.ts';
export type { KeyRecord } from './store/api-key.ts';
export { StoreKeyError, StoreLockedError, StoreUnavailableError, StoreVersionError } from './store/errors.ts';
