/** A separate entry point, since it always loads the table of look-alikes. */
export { loadDefinitionsSync } from './load/load-sync.ts';
