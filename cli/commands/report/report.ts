import type { Client } from '@rolecall/api';
import { nearest, parseDuration, parseTimestamp } from '@rolecall/crds';
import {
  type AccessFacts,
  desiredState,
  personKey,
  printableJson,
  readAccessFacts,
  type View,
  visible,
} from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { failUnlessReplaceable } from '../../files/out-file.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { optionValue } from '../../options/option-value.ts';
import type { WorkspaceFlags } from '../../workspace/connection.ts';
import { readLive } from '../../workspace/read-live.ts';
import { accessRows, type RowFilter } from './access-rows.ts';
import { accessCsv, accessText } from './access-text.ts';
import { DeclaredNotes } from './declared-notes.ts';
import { findEndings } from './expiring.ts';
import { expiringCsv, expiringText } from './expiring-text.ts';
import { factsAt } from './facts-at.ts';
import { renderHtml } from './html.ts';
import { toReportData } from './page-data.ts';

interface ReportFlags extends WorkspaceFlags {
  at?: string;
  /** A file to write instead of standard output. */
  out?: string;
}

export interface AccessFlags extends ReportFlags {
  format: 'text' | 'csv' | 'json' | 'html';
  person?: string;
  dataSource?: string;
  role?: string;
  all?: true;
}

export interface ExpiringFlags extends ReportFlags {
  format: 'text' | 'csv' | 'json';
  within: string;
}

/**
 * Reports who reaches what at a moment. The page has everything, whatever is asked for.
 *
 * @throws CliError for flags; the client's errors
 */
export async function reportAccess(context: Context, paths: readonly string[], flags: AccessFlags): Promise<ExitCode> {
  const at = momentOf(flags.at);
  if (flags.out !== undefined) failUnlessReplaceable(flags.out);
  const isPast = flags.at !== undefined && at.getTime() < Date.now();
  const { facts, url, declared } = await readFacts(context, paths, flags, isPast ? at : undefined);
  const filter: RowFilter = { ...findNamed(facts, flags), activeOnly: flags.all !== true };
  if (flags.format === 'html') {
    deliver(context, flags, renderHtml(toReportData(facts, { workspace: url, readAt: new Date(), at }, declared)));
    return exitCodes.ok;
  }
  const rows = accessRows(facts, at, filter, new DeclaredNotes(declared));
  const text = {
    text: () => `${accessText(rows, at, flags.all === true)}\n`,
    csv: () => accessCsv(rows),
    json: () => `${printableJson({ format: 1, workspace: { url }, at: at.toISOString(), access: rows })}\n`,
  };
  deliver(context, flags, text[flags.format]());
  return exitCodes.ok;
}

/**
 * Reports whose access ends within a window.
 *
 * @returns exit code 2 where any does
 * @throws CliError for flags; the client's errors
 */
export async function reportExpiring(
  context: Context,
  paths: readonly string[],
  flags: ExpiringFlags,
): Promise<ExitCode> {
  const from = momentOf(flags.at);
  const to = new Date(from.getTime() + windowOf(flags.within));
  if (flags.out !== undefined) failUnlessReplaceable(flags.out);
  const { facts, url } = await readFacts(context, paths, flags);
  const endings = findEndings(facts, from, to);
  const head = { format: 1, workspace: { url }, from: from.toISOString(), to: to.toISOString() };
  const text = {
    text: () => `${expiringText(endings, from, to)}\n`,
    csv: () => expiringCsv(endings),
    json: () => `${printableJson({ ...head, endings })}\n`,
  };
  deliver(context, flags, text[flags.format]());
  return endings.length > 0 ? exitCodes.pending : exitCodes.ok;
}

/** @param past the moment whose facts are wanted, where they may differ from those of now */
function readFacts(context: Context, paths: readonly string[], flags: WorkspaceFlags, past?: Date) {
  return readLive(context, paths, flags, async (view, { url }, { definitions, workspace }, client) => ({
    facts: await readFactsOf(context, view, client, past),
    url,
    // What cannot be taken as desired has no file to name; the report is of the workspace all the same.
    declared: desiredState(definitions, workspace).state.objects,
  }));
}

async function readFactsOf(
  { output }: Context,
  view: View,
  client: Client,
  past: Date | undefined,
): Promise<AccessFacts> {
  const now = await readAccessFacts(view);
  const then = past === undefined ? now : await factsAt(client, now, past);
  if (then !== undefined) return then;
  output.warn(
    'without_trail',
    'this report shows what is left of that moment: what was removed or locked since is in the audit trail, which takes a key of scope admin',
  );
  return now;
}

function deliver({ io }: Context, { out }: ReportFlags, text: string): void {
  if (out === undefined) io.stdout.write(text);
  else writeWhole(out, text);
}

/** The keys of what the flags name. */
function findNamed(facts: AccessFacts, { person, dataSource, role }: AccessFlags): Omit<RowFilter, 'activeOnly'> {
  const usernames = facts.people.map(({ key, username }) => ({ key, name: username }));
  const aliases = facts.dataSources.map(({ key, alias, name }) => ({ key, name: alias ?? name }));
  return {
    ...(person === undefined ? {} : { person: findOne('person', personKey(person), usernames, personKey) }),
    ...(dataSource === undefined ? {} : { dataSource: findOne('data source', dataSource, aliases) }),
    ...(role === undefined ? {} : { role: findOne('role', role, facts.roles) }),
  };
}

function findOne(
  what: string,
  wanted: string,
  objects: readonly { key: string; name: string }[],
  fold = (name: string): string => name.normalize('NFC'),
): string {
  const match = objects.find(({ name }) => fold(name) === fold(wanted));
  if (match !== undefined) return match.key;
  const near = nearest(
    wanted,
    objects.map(({ name }) => name),
  );
  const hint = near === undefined ? '' : `; did you mean ${visible(near)}?`;
  throw new CliError('ERR_NOT_FOUND', `the workspace has no ${what} ${visible(wanted)}${hint}`);
}

/**
 * The moment of a report.
 *
 * @param text as `--at` gives it; undefined: now
 * @throws CliError that says how times are written
 */
function momentOf(text: string | undefined): Date {
  if (text === undefined) return new Date();
  return new Date(optionValue('--at', text, parseTimestamp, 'write it as in --at 2026-12-01T09:00:00Z'));
}

/**
 * Returns the length of a window, in milliseconds.
 *
 * @throws CliError that says how durations are written
 */
function windowOf(text: string): number {
  return optionValue('--within', text, parseDuration, 'write it as in --within 7d') * 1000;
}
