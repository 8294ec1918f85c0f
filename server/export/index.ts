/** How the rows of a result are written: by downloads of the service, and by the command line. */
export { writeCsv } from './csv.ts';
export { writeJson, writeNdjson } from './json.ts';
export type { Row } from './rows.ts';
