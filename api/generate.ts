import { errorsPage } from './errors-page.ts';
import { openApiDocument } from './openapi/index.ts';

/** The files that are generated from the wire contract and committed: path from the root of the repository, content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['api/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`],
    ['docs/errors.md', errorsPage()],
  ]);
}
