export { type Attached, serveAttached } from './plugin/attach.ts';
export { createLog } from './plugin/log.ts';
export { createProvider } from './provider.ts';
export { readVersion } from './version.ts';
