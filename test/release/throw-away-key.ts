import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';

/** A key that signs, and what its public half says of a signature. */
export class ThrowAwayKey implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #options: readonly string[];

  constructor(passphrase = '') {
    const home = path.join(this.#folder.path, 'keys');
    mkdirSync(home, { mode: 0o700 });
    this.#options = ['--homedir', home, '--batch', '--pinentry-mode', 'loopback', '--passphrase', passphrase];
    this.#run('--quiet', '--quick-generate-key', 'Releases <releases@example.com>', 'ed25519', 'sign');
  }

  /** The private key in ASCII armour. */
  get secret(): string {
    return this.#run('--armor', '--export-secret-keys');
  }

  /** @returns what GnuPG says of `FILE.sig`, which begins with `Good signature` where it fits */
  verify(file: string): string {
    const { stderr } = spawnSync('gpg', [...this.#options, '--verify', `${file}.sig`, file], { encoding: 'utf8' });
    return stderr.replace(/^[\s\S]*gpg: (?=Good|BAD)/, '');
  }

  #run(...args: string[]): string {
    return execFileSync('gpg', [...this.#options, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  }

  [Symbol.dispose](): void {
    spawnSync('gpgconf', [...this.#options.slice(0, 2), '--kill', 'all']);
    this.#folder[Symbol.dispose]();
  }
}
