import { findPackageJSON } from 'node:module';
import path from 'node:path';

/** True if this runs from the repository's sources, and not from the package that is made of them. */
export const runsFromSources = import.meta.url.endsWith('.ts');

/** The folder of the package: the repository's `cli/`, or where it was installed. */
export const packageFolder = path.dirname(findPackageJSON(import.meta.url) ?? '');
