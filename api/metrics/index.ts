export { processTable, readProcess } from './process.ts';
export * from './registry.ts';
