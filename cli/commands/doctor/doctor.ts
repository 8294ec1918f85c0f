import { versions } from 'node:process';
import { createClient, isPlaintextRemote, OptionsError } from '@rolecall/api';
import { type DefinitionOf, hasErrors, loadDefinitions } from '@rolecall/crds';
import { type Palette, visible } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { CliError, InterruptedError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { counted } from '../../output/words.ts';
import { watchInterrupts } from '../../process/interrupts.ts';
import type { Environment, InputStream } from '../../process/io.ts';
import { readVersion } from '../../version.ts';
import { chooseWorkspace } from '../../workspace/choose-workspace.ts';
import { type Connection, findAddress, findWorkspace, type WorkspaceFlags } from '../../workspace/connection.ts';
import { findCredentials } from '../../workspace/credentials.ts';
import { type Finding, failure, ok, type Status, skipped, warning } from './finding.ts';
import { lookAtConnection } from './look-at-connection.ts';
import { lookAtIdentity } from './look-at-identity.ts';
import { lookAtKey } from './look-at-key.ts';

type Workspace = DefinitionOf<'Workspace'> | undefined;

/**
 * Checks everything between the command line and a workspace, and reports the result of each check. Changes nothing.
 *
 * @param paths definitions, whose Workspace may say where the workspace is
 * @returns exit code 1 where a check failed
 */
export async function diagnose(context: Context, paths: readonly string[], flags: WorkspaceFlags): Promise<ExitCode> {
  const findings = await findAll(context, paths, flags);
  const healthy = findings.every(({ status }) => status !== 'failure');
  context.output.say(renderFindings(findings, context.output.palette));
  context.output.document({ format: 1, healthy, checks: findings });
  return healthy ? exitCodes.ok : exitCodes.error;
}

async function findAll(context: Context, paths: readonly string[], flags: WorkspaceFlags): Promise<Finding[]> {
  const { io } = context;
  const version = readVersion();
  const declared = await lookAtDefinitions(paths, flags, io.stdin);
  const opening = [ok('runtime', `rolecall ${version}, Node ${versions.node}`), ...declared.findings];
  if (opening.some(({ check }) => check === 'url')) return [...opening, skipped('service', 'not asked')];
  const { findings, connection } = lookAtPlace(flags, io.env, declared.workspace);
  if (connection === undefined) return [...opening, ...findings, skipped('service', 'not asked')];
  return [...opening, ...findings, ...(await lookAtService(context, connection, declared.hasDataSources, version))];
}

async function lookAtDefinitions(paths: readonly string[], flags: WorkspaceFlags, stdin: InputStream) {
  const none = { findings: [] as Finding[], workspace: undefined as Workspace, hasDataSources: false };
  if (paths.length === 0) return none;
  const { definitions, problems, files } = await loadDefinitions(paths, { stdin });
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const read = counted(definitions.length, 'definition');
  const finding = hasErrors(problems)
    ? failure('definitions', `${counted(errors, 'error')}, and ${read} without one`, 'rolecall validate shows each.')
    : ok('definitions', `${read} in ${counted(files.length, 'file')}`);
  const hasDataSources = definitions.some(({ kind }) => kind === 'DataSource');
  try {
    return { findings: [finding], workspace: chooseWorkspace(definitions, flags.workspace), hasDataSources };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { ...none, findings: [finding, failure('url', error.message)], hasDataSources };
  }
}

/** Finds the workspace and the key to it; no connection if a part of them is missing. */
function lookAtPlace(
  flags: WorkspaceFlags,
  env: Environment,
  workspace: Workspace,
): { findings: Finding[]; connection?: Connection } {
  const key = findCredentials(flags, env, workspace);
  const missing = 'fault' in key ? [failure('key', key.fault.message)] : issuesOf(key);
  const findings = [lookAtUrl(flags, env, workspace), ...missing];
  if (findings.some(({ status }) => status === 'failure')) return { findings };
  return { findings, connection: findWorkspace(flags, env, workspace, key) };
}

function issuesOf(key: ReturnType<typeof findCredentials>): Finding[] {
  if (!('issues' in key)) return [];
  return key.issues.map(({ path, message, remedy }) => failure('key', `${path.join('.')} ${message}`, remedy));
}

function lookAtUrl(flags: WorkspaceFlags, env: Environment, workspace: Workspace): Finding {
  try {
    const { url, source } = findAddress(flags, env, workspace);
    const message = `${url} (from ${source})`;
    if (!isPlaintextRemote(url)) return ok('url', message);
    return warning(
      'url',
      `${message} is plain HTTP to another machine`,
      'Use https: the key and passwords can be read.',
    );
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return failure('url', error.message);
  }
}

async function lookAtService(
  context: Context,
  connection: Connection,
  needsAdmin: boolean,
  version: string,
): Promise<Finding[]> {
  using interrupts = watchInterrupts(context);
  const { abandon } = interrupts;
  try {
    const { url, caFile } = connection;
    const options = {
      ...{ url, caFile, signal: abandon, retries: { attempts: 1 } },
      timeouts: { ...quick, ...connection.timeouts },
    };
    const identity = await lookAtIdentity(connection, options);
    if (!('key' in identity)) return identity;
    const client = createClient({ ...options, ...identity.key });
    const seen = await lookAtKey(client, connection, needsAdmin);
    await client.close();
    if (abandon.aborted) throw new InterruptedError();
    const isRefused = seen.some(({ check, status }) => check === 'key' && status === 'failure');
    const key = isRefused ? seen : [identity.finding, ...seen];
    if (seen.some(({ check, status }) => check === 'service' && status === 'failure')) return key;
    return [...key, ...(await lookAtConnection({ connection, key: identity.key, version, now: Date.now }))];
  } catch (error) {
    if (error instanceof OptionsError) return [failure('url', error.message)];
    if (abandon.aborted) throw new InterruptedError();
    throw error;
  }
}

const quick = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000 };

const marks: Readonly<Record<Status, string>> = { ok: 'ok', warning: 'warn', failure: 'FAIL', skipped: '-' };

/** The findings, a line each with its remedy below, and a sentence that sums them up. */
function renderFindings(findings: readonly Finding[], palette: Palette): string {
  const paints: Readonly<Record<Status, (text: string) => string>> = {
    ok: palette.create,
    warning: palette.change,
    failure: palette.remove,
    skipped: palette.dim,
  };
  const widest = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(6 + widest + 2);
  const lines = findings.flatMap(({ check, status, message, remedy }) => [
    `${paints[status](marks[status].padEnd(4))}  ${check.padEnd(widest)}  ${visible(message)}`,
    ...(remedy === undefined ? [] : [`${indent}${palette.dim(visible(remedy))}`]),
  ]);
  return [...lines, '', sumUp(findings)].join('\n');
}

function sumUp(findings: readonly Finding[]): string {
  const failures = findings.filter(({ status }) => status === 'failure').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  if (failures === 0 && warnings === 0) return 'All is well.';
  return `${counted(failures, 'failure')}, ${counted(warnings, 'warning')}.`;
}
