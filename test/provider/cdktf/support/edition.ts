import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type * as rolecall from '@rolecall/cdktf';
import type * as library from 'cdktf';
import { bundle } from '../../../../tools/cdktf/bundle.ts';
import { type Edition, editions } from '../../../../tools/cdktf/editions.ts';
import { root } from '../../../cli/support/run-command.ts';

// The libraries look for newer versions of themselves otherwise.
process.env['CHECKPOINT_DISABLE'] = '1';

// They make folders for what they synthesize in tests, and leave them behind.
const temporary = mkdtempSync(path.join(tmpdir(), 'rolecall-cdktf-test-'));
process.env['TMPDIR'] = temporary;
process.once('exit', () => {
  rmSync(temporary, { recursive: true, force: true });
});

/** A package as it is published, and the library that it is for; the types of the successor are the same. */
export interface Loaded {
  readonly edition: Edition;
  readonly rolecall: typeof rolecall;
  readonly library: typeof library;
}

/** Both packages, bundled from the source. */
export async function loadEditions(): Promise<Loaded[]> {
  return Promise.all(editions.map(loadEdition));
}

/** A package, bundled from the source. */
export async function loadEdition(edition: Edition): Promise<Loaded> {
  // In a folder from where the library is found.
  const folder = path.join(root, 'node_modules/.cache/rolecall-cdktf');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${edition.library}-${process.pid}.cjs`);
  writeFileSync(file, (await bundle(edition)).code);
  const require = createRequire(file);
  const loaded = {
    edition,
    rolecall: require(file) as Loaded['rolecall'],
    library: require(edition.library) as Loaded['library'],
  };
  rmSync(file);
  return loaded;
}
