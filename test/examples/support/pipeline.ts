import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { root } from '../../cli/support/run-command.ts';
import { commandLineInShell } from '../../support/command-line.ts';

export interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

export interface Job {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly defaults?: { readonly run: { readonly shell: string } };
  readonly env: Readonly<Record<string, string | number>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

export const ci = path.join(root, 'examples/ci');

export function readWorkflow(name: string): Workflow {
  return parse(readFileSync(path.join(ci, 'github', name), 'utf8')) as Workflow;
}

export interface GitlabJob {
  readonly extends?: string;
  readonly rules?: readonly { readonly if: string }[];
  readonly environment?: { readonly name: string; readonly action: string };
  readonly script?: readonly string[];
  readonly before_script?: readonly string[];
  readonly image?: string;
  readonly resource_group?: string;
  readonly interruptible?: boolean;
  readonly artifacts?: { readonly when: string; readonly paths: readonly string[] };
}

export function readGitlab(): Readonly<Record<string, GitlabJob>> {
  const file = path.join(ci, 'gitlab/rolecall.gitlab-ci.yml');
  const { stages: _stages, ...jobs } = parse(readFileSync(file, 'utf8')) as Record<string, GitlabJob>;
  return jobs;
}

export interface Outcome {
  code: number | null;
  output: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Programs that a runner has, with `rolecall` as it is in this repository, and what else is given. */
export function writePrograms(folder: string, programs: Readonly<Record<string, string>> = {}): string {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const rolecall = `#!/bin/sh\nexec ${commandLineInShell} "$@"\n`;
  for (const [name, text] of Object.entries({ rolecall, ...programs })) {
    writeFileSync(path.join(bin, name), text);
    chmodSync(path.join(bin, name), 0o755);
  }
  return `${bin}${path.delimiter}${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`;
}

/** Runs a script as the runners of both platforms do: bash that ends at the first failure, also inside of a pipe. */
export function runShell(script: string, cwd: string, env: Environment): Promise<Outcome> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env: { HOME: process.env['HOME'], XDG_CACHE_HOME: path.join(root, 'node_modules/.cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, output });
    });
  });
}

/** What the expressions of a workflow come to: `vars.ROLECALL_URL` and the like. */
export type Expressions = Readonly<Record<string, string>>;

/**
 * Runs the steps of a job that are shell, but for the installation, until one fails.
 *
 * @param jobs what the steps of other origin (actions) would have left is to be in the folder already
 */
export async function runJob(
  { env: workflowEnv }: Workflow,
  { steps }: Job,
  cwd: string,
  env: Environment,
  expressions: Expressions,
): Promise<Outcome> {
  const files = path.join(cwd, '..', 'runner');
  mkdirSync(files, { recursive: true });
  const [outputs, summary] = [path.join(files, 'output'), path.join(files, 'summary.md')];
  for (const file of [outputs, summary]) writeFileSync(file, '');
  let all = '';
  for (const step of steps) {
    if (step.run === undefined || step.name === 'Install rolecall') continue;
    if (step.if !== undefined && !holds(step.if, readFileSync(outputs, 'utf8'))) continue;
    const given = { ...workflowEnv, ...step.env };
    const stepEnv: Record<string, string | undefined> = {
      GITHUB_OUTPUT: outputs,
      GITHUB_STEP_SUMMARY: summary,
      ...env,
    };
    for (const [name, value] of Object.entries(given)) stepEnv[name] = evaluate(String(value), expressions);
    const { code, output } = await runShell(step.run, cwd, stepEnv);
    all += output;
    if (code !== 0) return { code, output: all };
  }
  return { code: 0, output: all };
}

function evaluate(value: string, expressions: Expressions): string {
  return value.replace(/\$\{\{ (.*?) \}\}/g, (_all, expression: string) => {
    const known = expressions[expression];
    if (known === undefined) throw new Error(`nothing is known of ${expression}`);
    return known;
  });
}

/** The one form of condition that the steps have: on what an earlier one has put out. */
function holds(condition: string, outputs: string): boolean {
  const match = /^steps\.\w+\.outputs\.(\w+) == '(\w+)'$/.exec(condition);
  if (match === null) throw new Error(`the condition ${condition} is of a form that this test does not know`);
  return outputs.split('\n').includes(`${match[1] ?? ''}=${match[2] ?? ''}`);
}
