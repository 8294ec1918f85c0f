export { nodeFlags } from './flags.ts';
export { createLog } from './plugin/process/log.ts';
export { createProvider } from './provider.ts';
export { platformName, version } from './release.ts';
export { registryAddresses, schemaJson } from './schema-json.ts';
