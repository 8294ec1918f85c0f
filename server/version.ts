import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this package. */
export function readVersion(): string {
  const file = findPackageJSON(import.meta.url);
  const { version } = JSON.parse(readFileSync(file ?? '', 'utf8')) as { version: string };
  return version;
}
