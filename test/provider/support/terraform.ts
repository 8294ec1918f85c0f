import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach } from 'node:test';
import type { Client } from '@rolecall/api';
import { createLog, createProvider, registryAddresses } from '@rolecall/provider';
import { openProvider } from '../../../provider/plugin/calls/methods.ts';
import type { Log } from '../../../provider/plugin/process/log.ts';
import { listen } from '../../../provider/plugin/process/serve.ts';
import { temporaryFolder } from '../../cli/support/temporary-folder.ts';
import { startWorkspace, type TestWorkspace } from '../../cli/support/workspace.ts';
import { find } from '../../support/databases/parts.ts';

export interface Finished {
  readonly code: number | null;
  /** Standard output and standard error, as a person sees them. */
  readonly output: string;
}

export interface Terraform extends AsyncDisposable {
  readonly folder: string;
  readonly workspace: TestWorkspace;
  /** Calls the service past the provider, as another client would. */
  readonly call: Client['call'];
  /** Writes main.tf: these blocks, after those that name the provider. */
  readonly configure: (hcl: string) => void;
  readonly run: (args: readonly string[], env?: Record<string, string>) => Promise<Finished>;
  /** Starts a command, which can then be killed. */
  readonly start: (args: readonly string[]) => StartedTerraform;
  /** Runs a command that must succeed. */
  readonly must: (args: readonly string[], env?: Record<string, string>) => Promise<string>;
  readonly apply: (...args: string[]) => Promise<string>;
  /** Writes main.tf as `configure` does, and applies it. */
  readonly converge: (hcl: string, ...args: string[]) => Promise<string>;
  /** Runs a command that must fail, and say all of this. @returns what it said, in one line */
  readonly refuses: (args: readonly string[], ...messages: RegExp[]) => Promise<string>;
  /** Runs a command that must fail. @returns its errors, each in one line */
  readonly errorsOf: (args: readonly string[]) => Promise<string[]>;
  /** Fails unless a plan finds nothing to do. */
  readonly assertNoChanges: () => Promise<void>;
  /** The attributes of a resource in the state, by its address. */
  readonly stateOf: (address: string) => Promise<Record<string, unknown>>;
  /** What the command called, and forgets it. */
  readonly calls: () => string[];
}

const header = `terraform {
  required_providers {
    rolecall = { source = "rolecall/rolecall" }
  }
}
`;

/** Whether the terraform of this machine is Terraform itself, 1.`minor` or newer. */
export function isTerraformFrom(minor: number): boolean {
  const { terraform_version: version = '0' } = JSON.parse(
    execFileSync(find('terraform'), ['version', '-json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as { terraform_version?: string };
  return !path.basename(find('terraform')).startsWith('tofu') && Number(version.split('.')[1]) >= minor;
}

/**
 * A service, and the real terraform attached to a provider in this process.
 *
 * @param through gives the URL by which the provider reaches the service of that URL; default: the recording proxy's
 */
export async function startTerraform(through?: (url: string) => Promise<string>): Promise<Terraform> {
  const workspace = await startWorkspace();
  const url: Record<string, string> = through === undefined ? {} : { ROLECALL_URL: await through(workspace.url) };
  const attached = await attach({ env: { ...workspace.env, ...url } });
  const folder = temporaryFolder();
  const cliConfig = path.join(folder.path, 'cli.tfrc');
  writeFileSync(cliConfig, '');
  const start = (args: readonly string[], env: Record<string, string> = {}): StartedTerraform =>
    startProcess(folder.path, args, {
      TF_CLI_CONFIG_FILE: cliConfig,
      TF_REATTACH_PROVIDERS: attached.variable,
      ...env,
    });
  const run: Terraform['run'] = (args, env) => start(args, env).finished;
  const must: Terraform['must'] = async (args, env) => {
    const { code, output } = await run(args, env);
    if (code !== 0) throw new Error(`terraform ${args.join(' ')} ended with ${code}:\n${output}`);
    return output;
  };
  const fail = async (args: readonly string[]): Promise<string> => {
    const { code, output } = await run(args);
    assert.equal(code, 1, output);
    return output;
  };
  const configure = (hcl: string): void => {
    writeFileSync(path.join(folder.path, 'main.tf'), `${header}${hcl}`);
  };
  const apply: Terraform['apply'] = (...args) => must(['apply', '-auto-approve', ...args]);
  return {
    folder: folder.path,
    workspace,
    call: (operation, request, options) => workspace.client.call(operation, request, options),
    configure,
    run,
    start,
    must,
    apply,
    converge: (hcl, ...args) => {
      configure(hcl);
      return apply(...args);
    },
    refuses: async (args, ...messages) => {
      const said = inOneLine(await fail(args));
      for (const message of messages) assert.match(said, message);
      assert.doesNotMatch(said, /Mistake in the provider/);
      return said;
    },
    errorsOf: async (args) => {
      const [, ...errors] = (await fail(args)).split(/^Error: /m);
      return errors.map(inOneLine);
    },
    assertNoChanges: async () => {
      const { code, output } = await run(['plan', '-detailed-exitcode']);
      if (code !== 0) throw new Error(`the plan is not empty (${code}):\n${output}`);
    },
    stateOf: async (address) => {
      const state = JSON.parse(await must(['show', '-json'])) as State;
      const found = state.values.root_module.resources.find((resource) => resource.address === address);
      if (found === undefined) throw new Error(`${address} is not in the state`);
      return found.values;
    },
    calls: () => workspace.proxy.calls.splice(0),
    [Symbol.asyncDispose]: async () => {
      attached.close();
      await workspace[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/**
 * Starts terraform before the tests of a suite, and ends it after them.
 *
 * @param base each test begins with this configuration applied; without it, where the test before it ended
 * @returns what is started; it can be used as soon as a test or a hook runs
 */
export function useTerraform(base?: string): Terraform {
  // It is filled before anything uses it.
  const terraform = {} as Terraform;
  before(async () => {
    Object.assign(terraform, await startTerraform());
  });
  after(() => terraform[Symbol.asyncDispose]());
  if (base !== undefined) {
    beforeEach(async () => {
      await terraform.converge(base);
      terraform.calls();
    });
  }
  return terraform;
}

interface State {
  values: { root_module: { resources: { address: string; values: Record<string, unknown> }[] } };
}

/** What Terraform printed in a box, in one line: it breaks lines wherever the box is full. */
export const inOneLine = (output: string): string => output.replaceAll(/[\s│]+/g, ' ');

export interface Attached {
  /** What TF_REATTACH_PROVIDERS must be for Terraform to use this process. */
  readonly variable: string;
  readonly close: () => void;
}

/** Serves the provider from this process, configured by the environment of a workspace. The socket is this user's own: there is no TLS. */
export async function attach({ env }: Pick<TestWorkspace, 'env'>): Promise<Attached> {
  const log = createLog('rolecall', { TF_LOG: process.env['TF_LOG'] }, (line) => process.stderr.write(line));
  const provider = createProvider(env, '0.0.0-test');
  const load = () => Promise.resolve((to: Log) => openProvider(provider, to));
  const { network, address, close } = await listen({ load, schema: undefined }, log, undefined, () => undefined);
  const Addr = { Network: network, String: address };
  const server = { Protocol: 'grpc', ProtocolVersion: 6, Pid: process.pid, Test: true, Addr };
  // terraform and tofu each look for it at their own registry.
  return { variable: JSON.stringify(Object.fromEntries(registryAddresses.map((name) => [name, server]))), close };
}

export interface StartedTerraform {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

export function startProcess(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): StartedTerraform {
  // What is killed leaves its socket behind: in the folder of the test, which is removed with it.
  const temporary = path.join(cwd, '.tmp');
  mkdirSync(temporary, { recursive: true });
  const child = spawn(find('terraform'), [...args, ...(takesColour(args) ? ['-no-color'] : [])], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: cwd,
      TMPDIR: temporary,
      CHECKPOINT_DISABLE: '1',
      TF_IN_AUTOMATION: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // No command of a test takes that long: one that should have ended and did not must not outlive its test.
    timeout: 900_000,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, output });
    });
  });
  return { child, finished };
}

function takesColour([command]: readonly string[]): boolean {
  return command !== 'version' && command !== 'providers' && command !== 'metadata' && command !== 'state';
}
