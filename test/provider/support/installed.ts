import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runCommand } from '../../cli/support/run-command.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace } from '../../cli/support/workspace.ts';
import { type Finished, type StartedTerraform, startProcess } from './terraform.ts';

export interface Installed extends AsyncDisposable {
  readonly folder: string;
  readonly workspace: TestWorkspace;
  readonly configure: (hcl: string, provider?: string) => void;
  readonly run: (args: readonly string[], env?: Record<string, string>) => Promise<Finished>;
  /** Starts a command, which can then be killed. */
  readonly start: (args: readonly string[], env?: Record<string, string>) => StartedTerraform;
  readonly must: (args: readonly string[], env?: Record<string, string>) => Promise<string>;
}

/** The provider as it runs from its sources, as a program that Terraform starts. */
export function writeLauncher(folder: string): string {
  const file = path.join(folder, 'launcher');
  const main = path.join(root, 'provider/main.ts');
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" --conditions=source "${main}" "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

/**
 * A service, and a folder in which terraform finds the provider installed, and starts it itself.
 *
 * @param from the executable; default: one that runs the sources
 * @param mirror a filesystem mirror that has the provider already
 */
export async function startInstalled(from?: string, mirror?: string): Promise<Installed> {
  const workspace = await startWorkspace();
  const folder = temporaryFolder();
  const cliConfig = path.join(folder.path, 'cli.tfrc');
  writeFileSync(
    cliConfig,
    mirror === undefined
      ? await installInto(path.join(folder.path, 'mirror'), from ?? writeLauncher(folder.path))
      : `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`,
  );
  const start: Installed['start'] = (args, env = {}) =>
    startProcess(folder.path, args, {
      ...workspace.env,
      // Where the pinned Node keeps what it has compiled, as each command starts the provider several times.
      NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compile'),
      TF_CLI_CONFIG_FILE: cliConfig,
      ...env,
    });
  const run: Installed['run'] = (args, env) => start(args, env).finished;
  const must: Installed['must'] = async (args, env) => {
    const { code, output } = await run(args, env);
    if (code !== 0) throw new Error(`terraform ${args.join(' ')} ended with ${code}:\n${output}`);
    return output;
  };
  return {
    folder: folder.path,
    workspace,
    configure: (hcl, provider = '') => {
      const source = 'terraform {\n  required_providers {\n    rolecall = { source = "rolecall/rolecall" }\n  }\n}\n';
      writeFileSync(path.join(folder.path, 'main.tf'), `${source}${provider}${hcl}`);
    },
    run,
    start,
    must,
    [Symbol.asyncDispose]: async () => {
      await workspace[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Gives what the command prints for the CLI configuration, as a person would copy it. */
async function installInto(mirror: string, from: string): Promise<string> {
  const installed = await runCommand(['terraform', 'install', '--dir', mirror, '--from', from]);
  if (installed.code !== 0) throw new Error(installed.stderr);
  return /^ {2}provider_installation \{\n[^]*?\n {2}\}$/m.exec(installed.stdout)?.[0] ?? '';
}
