import { type KeyObject, randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileSource, type KeySource } from '../secrets/key-source.ts';
import { formatKeys, makeStoreKey } from '../secrets/store-key.ts';
import { flush } from './publish-file.ts';

/** `store.key` beside an embedded store: the one source that Rolecall writes. */
export class OwnKeyFile implements KeySource {
  readonly name: string;
  readonly #file: string;
  readonly #source: KeySource;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'store.key');
    this.name = this.#file;
    this.#source = fileSource(
      this.#file,
      `${this.#file} is missing, and without it the store's secrets cannot be read: put it back, or set ROLECALL_STORE_KEY`,
    );
  }

  read(): Promise<readonly KeyObject[]> {
    return this.#source.read();
  }

  /** Makes the file for a new store. Of several processes that do so at once, one wins, and all use its key. */
  createIfMissing(): void {
    if (existsSync(this.#file)) return;
    const draft = `${this.#file}.${process.pid}-${randomBytes(4).toString('hex')}`;
    writeDraft(draft, [makeStoreKey()]);
    try {
      linkSync(draft, this.#file);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      unlinkSync(draft);
    }
  }

  /** Puts other keys into the file: a reader, or the next start after a power cut, finds the old content or the new one. */
  write(keys: readonly KeyObject[]): void {
    // Where it is a link, what the link leads to is the file.
    const file = existsSync(this.#file) ? realpathSync(this.#file) : this.#file;
    // The same name each time, so that what a kill leaves behind goes with the next run.
    const draft = `${file}.part`;
    rmSync(draft, { force: true });
    writeDraft(draft, keys);
    // Run by root, as with sudo, it must stay readable for the user of the service.
    if (process.getuid?.() === 0 && existsSync(file)) {
      const { uid, gid } = statSync(file);
      chownSync(draft, uid, gid);
    }
    renameSync(draft, file);
    flush(path.dirname(file));
  }
}

/** A file that is there already, or a link, is not written through: in a folder of others it would be theirs. */
function writeDraft(draft: string, keys: readonly KeyObject[]): void {
  writeFileSync(draft, formatKeys(keys), { mode: 0o600, flag: 'wx', flush: true });
}
