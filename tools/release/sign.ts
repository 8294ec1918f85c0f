import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The private key that signs a release, in ASCII armour, and its passphrase if it has one. */
export const keyVariable = 'ROLECALL_RELEASE_GPG_KEY';
const passphraseVariable = 'ROLECALL_RELEASE_GPG_PASSPHRASE';

/**
 * Writes a detached signature beside each file, as `FILE.sig`, in the binary form that Terraform's registry wants. The key is in a
 * keyring of its own, which is gone afterwards.
 *
 * @param environment has the key
 * @throws when the key is no private key, or GnuPG is not there
 */
export function sign(files: readonly string[], environment: NodeJS.ProcessEnv): void {
  const { [keyVariable]: key = '', [passphraseVariable]: passphrase = '' } = environment;
  const home = mkdtempSync(path.join(tmpdir(), 'rolecall-gpg-'));
  const gpg = (args: string[], input: string): void => {
    const options = ['--homedir', home, '--batch', '--yes', '--quiet', '--pinentry-mode', 'loopback'];
    execFileSync('gpg', [...options, ...args], { input, stdio: ['pipe', 'ignore', 'pipe'] });
  };
  try {
    try {
      gpg(['--import'], key);
    } catch (cause) {
      throw new Error(`${keyVariable} is no private key that gpg imports`, { cause });
    }
    for (const file of files) {
      gpg(
        ['--passphrase-fd', '0', '--digest-algo', 'SHA512', '--output', `${file}.sig`, '--detach-sign', file],
        passphrase,
      );
    }
  } finally {
    // GnuPG starts an agent for the keyring, which would outlive this process.
    spawnSync('gpgconf', ['--homedir', home, '--kill', 'all'], { stdio: 'ignore' });
    rmSync(home, { recursive: true, force: true });
  }
}
