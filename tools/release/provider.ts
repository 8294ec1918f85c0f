import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Takes what `npm run build:provider` made for the registry: archives, their checksums and the manifest. */
export function provider(root: string, folder: string): void {
  const built = path.join(root, 'dist/terraform');
  const files = readdirSync(built).filter((name) => /\.zip$|_manifest\.json$|_SHA256SUMS$/.test(name));
  if (!files.some((name) => name.endsWith('.zip'))) throw new Error(`${built} has no archive of the provider`);
  mkdirSync(folder, { recursive: true });
  for (const name of files) cpSync(path.join(built, name), path.join(folder, name));
}
