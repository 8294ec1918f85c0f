/** Writers of a result's rows: for downloads of the service, and for the command line. */
export { writeCsv } from './csv.ts';
export { writeJson, writeNdjson } from './json.ts';
export type { Row } from './rows.ts';
