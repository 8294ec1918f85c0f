import { homedir } from 'node:os';
import path from 'node:path';
import { platformName, registryAddresses, schemaJson, version } from '@rolecall/provider';
import { printableJson } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { findProgram, putProgram } from './provider-program.ts';

export interface InstallOptions extends CommonOptions {
  dir?: string;
  from?: string;
}

/** Prints the provider's schema. It is JSON in either format. */
export function printTerraformSchema({ io }: Context): ExitCode {
  io.stdout.write(`${printableJson(schemaJson())}\n`);
  return exitCodes.ok;
}

/** Puts the provider into a filesystem mirror, once for each registry that a configuration may name. */
export function install({ output }: Context, { dir, from }: InstallOptions): ExitCode {
  const program = findProgram(from);
  const folder = path.resolve(dir ?? path.join(homedir(), '.terraform.d/plugins'));
  const folders = registryAddresses.map((address) => path.join(folder, address, version, platformName()));
  const files = folders.flatMap((target, index) => putProgram(program, target, folders[index - 1]));
  output.say(`Installed into ${folder}. In a configuration:`);
  output.say(`\n${requirement}`);
  if (dir !== undefined) output.say(`\nIn ~/.terraformrc (for tofu: ~/.tofurc):\n\n${installation(folder)}`);
  output.say('\nThen: terraform init (or tofu init).');
  output.document({ folder, files, version });
  return exitCodes.ok;
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
