import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformName } from '@rolecall/provider';
import { buildGo } from '../peers/build-go.ts';
import { runCommand } from '../workspace/command.ts';

/** A provider where terraform looks for it. */
export interface Mirror {
  /** The CLI configuration by which terraform looks there. */
  readonly cliConfig: string;
  readonly program: string;
}

/**
 * Installs Rolecall's provider as `rolecall terraform install` does.
 *
 * @param args what to install
 */
export async function installRolecall(folder: string, name: string, args: readonly string[]): Promise<Mirror> {
  const mirror = join(folder, `mirror-${name}`);
  await runCommand(['terraform', 'install', '--dir', mirror, ...args], {});
  const [program = ''] = globSync(join(mirror, '**/terraform-provider-rolecall_v*'));
  return { cliConfig: writeCliConfig(folder, name, mirror), program };
}

/**
 * Installs a provider on HashiCorp's framework in Go that does nothing.
 *
 * @returns nothing where Go is not there
 */
export async function installPeer(folder: string): Promise<Mirror | undefined> {
  const mirror = join(folder, 'mirror-go');
  const place = join(mirror, 'registry.terraform.io/rolecall/peer/0.1.0', platformName());
  mkdirSync(place, { recursive: true });
  const program = join(place, 'terraform-provider-peer_v0.1.0');
  const isBuilt = await buildGo(join(import.meta.dirname, 'peer'), program);
  return isBuilt ? { cliConfig: writeCliConfig(folder, 'go', mirror), program } : undefined;
}

function writeCliConfig(folder: string, name: string, mirror: string): string {
  const file = join(folder, `${name}.tfrc`);
  const mirrored = `filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }`;
  writeFileSync(file, `provider_installation {\n  ${mirrored}\n}\n`);
  return file;
}
