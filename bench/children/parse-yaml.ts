import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

// The floor: the time of the YAML library alone to parse the files of a folder into plain values, one file at a time.
const [folder = ''] = process.argv.slice(2);
for (const name of readdirSync(folder)) {
  const documents = parseAllDocuments(readFileSync(join(folder, name), 'utf8'));
  if ('empty' in documents) continue;
  for (const document of documents) document.toJS();
}
