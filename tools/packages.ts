import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The folders of the published packages, each after those that it depends on. */
export const packageFolders = [
  'api',
  'crds',
  'reconcile',
  'server',
  'provider',
  'provider/cdktf',
  'provider/cdktn',
  'operator',
  'cli',
] as const;

/** The fields of a package.json that this code reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** @param folder from the root of the repository; `.` is the repository's own */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;
}
