import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { platformName, registryAddresses, schemaJson, version } from '@rolecall/provider';
import { printableJson } from '@rolecall/reconcile';
import type { CommonOptions, Context } from './command.ts';
import { CliError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

export interface InstallOptions extends CommonOptions {
  dir?: string;
  from?: string;
}

/** Prints the provider's schema. It is JSON in either format. */
export function printTerraformSchema({ io }: Context): ExitCode {
  io.stdout.write(`${printableJson(schemaJson())}\n`);
  return exitCodes.ok;
}

const executable = `terraform-provider-rolecall_v${version}`;

/** Puts the provider into a filesystem mirror, once for each registry that a configuration may name. */
export function install({ output }: Context, { dir, from }: InstallOptions): ExitCode {
  const source = from ?? path.resolve(import.meta.dirname, '../dist/terraform', executable);
  if (!existsSync(source)) {
    const remedy = from === undefined ? 'run npm run build:provider first, or give --from' : 'correct --from';
    throw new CliError('ERR_NO_PROVIDER', `${source} is not there: ${remedy}`);
  }
  const folder = path.resolve(dir ?? path.join(homedir(), '.terraform.d/plugins'));
  const files = registryAddresses.map((address) => path.join(folder, address, version, platformName(), executable));
  const [first = ''] = files;
  for (const file of files) put(file === first ? source : first, file);
  output.say(`Installed into ${folder}. In a configuration:`);
  output.say(`\n${requirement}`);
  if (dir !== undefined) output.say(`\nIn ~/.terraformrc (for tofu: ~/.tofurc):\n\n${installation(folder)}`);
  output.say('\nThen: terraform init (or tofu init).');
  output.document({ folder, files, version });
  return exitCodes.ok;
}

/** A command that runs from the old file goes on undisturbed: the new one takes its name only once it is whole. */
function put(source: string, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const unfinished = `${path.join(path.dirname(file), `.${path.basename(file)}`)}.${process.pid}`;
  rmSync(unfinished, { force: true });
  try {
    linkSync(source, unfinished);
  } catch {
    // Another file system, or one without links.
    copyFileSync(source, unfinished);
  }
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, file);
}

const requirement = `  terraform {
    required_providers {
      rolecall = {
        source  = "rolecall/rolecall"
        version = "~> ${version}"
      }
    }
  }

  provider "rolecall" {}  # url and key from ROLECALL_URL, ROLECALL_KEY_ID and ROLECALL_KEY_SECRET`;

function installation(folder: string): string {
  return `  provider_installation {
    filesystem_mirror {
      path    = ${JSON.stringify(folder)}
      include = ["rolecall/rolecall"]
    }
    direct {
      exclude = ["rolecall/rolecall"]
    }
  }`;
}
