import { errorsPage } from './errors-page.ts';
import { openApiDocument } from './openapi/index.ts';

/** The files generated from the wire contract: content by path from the repository's root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['api/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`],
    ['docs/errors.md', errorsPage()],
  ]);
}
