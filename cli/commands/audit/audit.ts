import { closeSync, openSync, readSync } from 'node:fs';
import { type Client, maxEntryLimit } from '@rolecall/api';
import { parseDuration, parseTimestamp } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import {
  type Change,
  type Checkpoint,
  type Comparison,
  compareAudit,
  type EntrySource,
  type FieldValue,
  type ListedEntry,
  listAudit,
  makeCheckpoint,
  readEntries,
  resumeAudit,
  type Verification,
  verifyAudit,
} from '@rolecall/server';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { optionValue } from '../../options/option-value.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { counted } from '../../output/words.ts';
import { type Environment, variable } from '../../process/io.ts';
import { existingPlace } from '../../store/store-place.ts';
import type { WorkspaceFlags } from '../../workspace/connection.ts';
import { withService } from '../../workspace/read-live.ts';

export interface AuditOptions extends CommonOptions, StoreOptions {}

export interface VerifyAuditOptions extends AuditOptions {
  checkpoint?: string;
  against?: string;
}

export interface ResumeAuditOptions extends AuditOptions {
  reason: string;
}

export interface ListAuditOptions extends AuditOptions, Omit<WorkspaceFlags, 'workspace'> {
  since?: string;
  until?: string;
  key?: string;
  object?: string;
  person?: string;
  limit: number;
}

/** `rolecall audit list`. */
export async function listEntries(context: Context, options: ListAuditOptions): Promise<ExitCode> {
  const { io, output } = context;
  const { since, until, key, object, person, limit } = options;
  const now = new Date();
  const query = {
    since: since === undefined ? undefined : parseWhen('--since', since, now),
    until: until === undefined ? undefined : parseWhen('--until', until, now),
    key,
    object,
    person,
    // One more, which tells that there are more.
    limit: limit + 1,
  };
  const newest = asksService(io.env, options)
    ? await withService(context, options, (client) => readEntries(entriesOf(client), query))
    : await listAudit({ ...existingPlace(io.env, options), environment: io.env, query });
  const entries = newest.slice(-limit);
  if (newest.length > limit) {
    const message = `there are older entries than these ${limit}; --limit ${limit * 10} shows more`;
    output.warn('older_entries', message);
  }
  output.say(entries.length === 0 ? 'No entry matches.' : entries.map(describeEntry).join('\n'));
  output.document(entries);
  return exitCodes.ok;
}

/** True if the entries come from a running service: by its URL, unless a store is named. */
function asksService(env: Environment, { data, databaseUrl, url }: ListAuditOptions): boolean {
  const isStoreGiven = data !== undefined || databaseUrl !== undefined;
  if (url !== undefined && isStoreGiven) {
    const detail = '--url names a service, and --data or --database-url a store: leave one out';
    throw new CliError('ERR_STORE_LOCATION', detail);
  }
  if (url !== undefined || isStoreGiven) return !isStoreGiven;
  const isStoreSet = variable(env, 'ROLECALL_DATA') ?? variable(env, 'ROLECALL_DATABASE_URL');
  return isStoreSet === undefined && variable(env, 'ROLECALL_URL') !== undefined;
}

function entriesOf(client: Client): EntrySource {
  const limit = String(maxEntryLimit);
  const page = (query: { after: string } | { before: string }) =>
    client.call('listAuditEntries', { query: { ...query, limit } });
  return {
    after: (seq) => page({ after: String(seq) }),
    before: async (seq) => (await page({ before: String(seq) })).reverse(),
  };
}

/** `rolecall audit verify`. Exit code 1 where the trail is broken. */
export async function verify({ io, output }: Context, options: VerifyAuditOptions): Promise<ExitCode> {
  const place = { ...existingPlace(io.env, options), environment: io.env };
  const checkpoint = options.checkpoint === undefined ? undefined : readCheckpoint(options.checkpoint);
  const verification = await verifyAudit({ ...place, checkpoint });
  const against = options.against === undefined ? undefined : await compareAudit({ ...place, file: options.against });
  const { entries, head, broken, resumedAfter } = verification;
  const ok = broken === undefined && against?.different === undefined;
  output.document({ ok, ...verification, ...(against === undefined ? {} : { against }) });
  if (broken === undefined) {
    output.say(`The audit trail is whole: ${countedEntries(entries)}.\nThe last one has the hash ${head}`);
    if (checkpoint !== undefined) output.say(`Entry ${checkpoint.seq} matches the checkpoint.`);
  } else {
    sayBroken(output, verification);
  }
  if (resumedAfter === 0) output.say('The trail was empty, and resumed: no earlier entry is left. Entry 1 says why.');
  else if (resumedAfter !== undefined) {
    const where = `up to entry ${resumedAfter}`;
    output.say(`The trail was resumed: its content ${where} is not verified. Entry ${resumedAfter + 1} says why.`);
  }
  if (against !== undefined) output.say(describeComparison(against));
  return ok ? exitCodes.ok : exitCodes.error;
}

function describeComparison({ same, unreadable, different }: Comparison): string {
  const torn = unreadable === 0 ? '' : ` ${counted(unreadable, 'line')} of it could not be read.`;
  if (different === undefined) return `${countedEntries(same)} of the file are the same in the store.${torn}`;
  return `The audit trail was rewritten since: line ${different.line} of the file: ${different.problem}.${torn}`;
}

/** `rolecall audit checkpoint`. Exit code 1 where the trail is broken. */
export async function checkpoint({ io, output }: Context, options: AuditOptions): Promise<ExitCode> {
  const made = await makeCheckpoint({ ...existingPlace(io.env, options), environment: io.env });
  output.document(made.checkpoint ?? { ok: false, ...made.verification });
  if (made.checkpoint === undefined) return sayBroken(output, made.verification);
  const { seq, hash, mac } = made.checkpoint;
  output.say(`${seq} ${hash} ${mac}`);
  return exitCodes.ok;
}

/** `rolecall audit resume`. */
export async function resume({ io, output }: Context, options: ResumeAuditOptions): Promise<ExitCode> {
  const trail = await resumeAudit({
    ...existingPlace(io.env, options),
    environment: io.env,
    reason: options.reason,
  });
  output.document({ resumed: true, found: trail });
  output.say('The audit trail continues from here. Its next entry records the reason and what was found.');
  return exitCodes.ok;
}

function sayBroken({ say }: Context['output'], { entries, head, broken }: Verification): ExitCode {
  say(`The audit trail is broken: entry ${broken?.seq} ${broken?.problem}.`);
  if (entries === 0) say('No entry of it is valid.');
  else say(`The ${countedEntries(entries)} before it fit; the last of them has the hash ${head}`);
  return exitCodes.error;
}

/** In bytes: a checkpoint is one line. */
const longestCheckpoint = 1000;

/** Reads what `audit checkpoint` has printed, as text or JSON; or only a number and a hash. */
function readCheckpoint(file: string): Checkpoint {
  const text = readStart(file).trim();
  const fields = text.startsWith('{') ? fromJson(text) : text.split(/\s+/);
  const [seq = '', hash = '', mac] = fields;
  if (/^[1-9]\d{0,14}$/.test(seq) && /^[0-9a-f]{64}$/.test(hash) && (mac === undefined || /^[0-9a-f]{64}$/.test(mac))) {
    return { seq: Number(seq), hash, mac };
  }
  throw new CliError(
    'ERR_CHECKPOINT',
    `${file} is not a checkpoint: it must contain the output of "rolecall audit checkpoint", or the number of an entry and its hash`,
  );
}

function fromJson(text: string): string[] {
  try {
    const { seq, hash, mac } = JSON.parse(text) as Partial<Record<'seq' | 'hash' | 'mac', string | number>>;
    return [String(seq), String(hash), ...(mac === undefined ? [] : [String(mac)])];
  } catch {
    return [];
  }
}

function readStart(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const start = Buffer.alloc(longestCheckpoint);
      return start.subarray(0, readSync(descriptor, start)).toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new CliError('ERR_CHECKPOINT', `${file} cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

function countedEntries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

/** One line for the operation, and one for each object that it changed. */
function describeEntry({ seq, at, actor, operation, requestId, changes }: ListedEntry): string {
  const called = actor.name === undefined ? '' : ` (${actor.name})`;
  const who = actor.type === 'api_key' ? `key ${actor.id}${called}` : `${actor.type} ${actor.id}`;
  const request = requestId === null ? '' : `  request ${requestId}`;
  return [`${seq}  ${at}  ${who}  ${operation}${request}`, ...changes.map(describeChange)]
    .map((line) => visible(line))
    .join('\n');
}

function describeChange(change: Change): string {
  const { kind, id, name, action, along, before, after, secrets = [] } = change;
  const what = `${action} ${kind.replaceAll('_', ' ')} ${name === undefined ? id : `${name} (${id})`}`;
  const names = Object.keys(after ?? before ?? {});
  const fields = names.map((field) => {
    if (action !== 'changed') return `${field} ${describeValue((after ?? before)?.[field])}`;
    return `${field} ${describeValue(before?.[field])} -> ${describeValue(after?.[field])}`;
  });
  const details = [...fields, ...secrets].join(', ');
  return `    ${along === true ? 'with it: ' : ''}${what}${details === '' ? '' : `: ${details}`}`;
}

/** As in JSON, except texts that stand beside a digest, or only as one: their length says enough. */
function describeValue(value: FieldValue | undefined): string {
  if (value === undefined) return 'not recorded';
  if (isDigest(value)) return describeText(value);
  if (Array.isArray(value)) return `[${value.map(describeValue).join(', ')}]`;
  return JSON.stringify(value);
}

function describeText({ characters, text }: { characters: number; text?: string }): string {
  const length = `text of ${counted(characters, 'character')}`;
  if (text === undefined) return length;
  return text.length === characters ? JSON.stringify(text) : `${JSON.stringify(text)}, cut, a ${length}`;
}

function isDigest(value: FieldValue): value is { characters: number; digest: string; text?: string } {
  return typeof value === 'object' && value !== null && 'digest' in value && 'characters' in value;
}

/** A time, or a duration before now; as ISO 8601. */
function parseWhen(option: string, text: string, now: Date): string {
  return optionValue(option, text, () =>
    /^\d{4}-/.test(text) ? parseTimestamp(text) : new Date(now.getTime() - parseDuration(text) * 1000).toISOString(),
  );
}
