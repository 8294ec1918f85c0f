import { parseDuration, parseTimestamp } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import { createKey, type ListedKey, listKeys, type NewKey, revokeKey, rotateKey } from '@rolecall/server';
import type { CommonOptions, Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { optionValue } from '../../options/option-value.ts';
import type { StoreOptions } from '../../options/store-options.ts';
import { formatTable } from '../../output/table.ts';
import { hasStore } from '../../store/data-folder.ts';
import { describePlace, existingPlace, storePlace } from '../../store/store-place.ts';

export interface KeysOptions extends CommonOptions, StoreOptions {}

export interface CreateKeyOptions extends KeysOptions {
  scope: 'read' | 'write' | 'admin';
  /** `never`, a duration or a time. */
  expires: string;
  name?: string;
  dataSource?: readonly string[];
}

/** `rolecall keys create`. */
export async function create(
  context: Context,
  { scope, expires, name, dataSource, ...where }: CreateKeyOptions,
): Promise<ExitCode> {
  const expiresAt =
    expires === 'never'
      ? {}
      : { expiresAt: optionValue('--expires', expires, (text) => parseExpiry(text, new Date())) };
  const place = storePlace(context.io.env, where);
  if (place.dataDir !== undefined && !hasStore(place.dataDir)) {
    context.output.warn(
      'new_store',
      `${describePlace(place)} contained no store: a new one is created, and this key is for a service that uses it`,
    );
  }
  const key = await createKey({
    ...place,
    environment: context.io.env,
    scope,
    ...expiresAt,
    ...(name === undefined ? {} : { name }),
    ...(dataSource === undefined ? {} : { dataSources: dataSource }),
  });
  printSecret(context, key, 'This is the only time that the secret is shown.');
  return exitCodes.ok;
}

/** `rolecall keys list`. */
export async function list({ io, output }: Context, options: KeysOptions): Promise<ExitCode> {
  const keys = await listKeys({ ...existingPlace(io.env, options), environment: io.env });
  const now = new Date().toISOString();
  const rows = keys.map((key) => [
    key.id,
    visible(key.name ?? ''),
    key.scope,
    limitOf(key),
    stateOf(key, now),
    key.createdAt,
    expiryOf(key, now),
  ]);
  output.say(
    keys.length === 0
      ? 'There are no keys.'
      : formatTable(['id', 'name', 'scope', 'data sources', 'state', 'created', 'expires'], rows),
  );
  output.document(keys.map((key) => ({ ...key, state: stateOf(key, now) })));
  return exitCodes.ok;
}

/** `rolecall keys revoke`. */
export async function revoke({ io, output }: Context, id: string, options: KeysOptions): Promise<ExitCode> {
  const key = await revokeKey({ ...existingPlace(io.env, options), environment: io.env, id });
  const called = key.name === null ? '' : ` (${visible(key.name)})`;
  output.say(`The key ${visible(key.id)}${called} is revoked: from the next request on it is refused.`);
  output.document(key);
  return exitCodes.ok;
}

/** `rolecall keys rotate`. */
export async function rotate(context: Context, id: string, options: KeysOptions): Promise<ExitCode> {
  const key = await rotateKey({ ...existingPlace(context.io.env, options), environment: context.io.env, id });
  printSecret(
    context,
    key,
    'The old secret is refused from the next request on. This is the only time that the new one is shown.',
  );
  return exitCodes.ok;
}

function printSecret({ output }: Context, key: NewKey, remark: string): void {
  const expiry = key.expiresAt === null ? 'never expires' : `expires at ${key.expiresAt}`;
  output.say(
    [
      `ROLECALL_KEY_ID=${key.id}`,
      `ROLECALL_KEY_SECRET=${key.secret}`,
      '',
      `Scope ${key.scope}, data sources ${limitOf(key)}, ${expiry}. ${remark}`,
    ].join('\n'),
  );
  output.document(key);
}

function limitOf({ dataSources }: { dataSources: readonly string[] | null }): string {
  return dataSources === null ? 'all' : dataSources.map(visible).join(' ');
}

/** Milliseconds before its end from which a key is said to expire soon. */
const soon = 14 * 24 * 60 * 60 * 1000;

function expiryOf(key: ListedKey, now: string): string {
  if (key.expiresAt === null) return 'never';
  const left = Date.parse(key.expiresAt) - Date.parse(now);
  return stateOf(key, now) === 'active' && left < soon ? `${key.expiresAt} (soon)` : key.expiresAt;
}

/** A row that was changed in the database says nothing that can be relied on, but that the key is refused. */
function stateOf(
  { intact, revokedAt, expiresAt }: ListedKey,
  now: string,
): 'active' | 'expired' | 'revoked' | 'altered' {
  if (!intact) return 'altered';
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** A duration from now, or a point in time. */
function parseExpiry(text: string, now: Date): Date {
  return /^\d{4}-/.test(text) ? new Date(parseTimestamp(text)) : new Date(now.getTime() + parseDuration(text) * 1000);
}
