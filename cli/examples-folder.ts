import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CliError } from './errors.ts';

/**
 * A folder of the examples: in the package they lie beside what was compiled, in the repository above the sources.
 *
 * @throws CliError where an installation is without them
 */
export function examplesFolder(name: 'acme' | 'ci' | 'starter'): string {
  const places = ['./examples', '../examples'].map((place) =>
    fileURLToPath(new URL(`${place}/${name}`, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new CliError('ERR_NO_EXAMPLE', `this installation has no examples: there is no ${places[0] ?? ''}`);
}
