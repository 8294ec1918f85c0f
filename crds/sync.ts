/** An entry of its own, since it loads the table of look-alikes whether or not it is needed. */
export { loadDefinitionsSync } from './load/load-sync.ts';
