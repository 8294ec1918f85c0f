import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Scope } from '@rolecall/api';
import { createKey, type KeyStore, type NewKey } from '@rolecall/server';

interface Template {
  readonly dataDir: string;
  readonly keys: Readonly<Record<Scope, NewKey>>;
}

/** By the scopes of their keys. */
const templates = new Map<string, Promise<Template>>();

/**
 * Fills a folder with an empty embedded store and a key of each scope. The stores of a process are copies of one, with the same
 * keys: migrating a store takes longer than most tests.
 */
export async function fillDataDir<S extends Scope>(
  dataDir: string,
  scopes: readonly S[],
): Promise<Readonly<Record<S, NewKey>>> {
  const name = scopes.join();
  const template = templates.get(name) ?? makeTemplate(scopes);
  templates.set(name, template);
  const made = await template;
  cpSync(made.dataDir, dataDir, { recursive: true });
  // As a store of its own has it.
  changeStore(dataDir, "update store_meta set value = ? where name = 'identity'", randomUUID());
  return made.keys;
}

/** Gives a permission a number, as stores had them that counted from 1. No service has listed it yet. */
export function renumberPermission(dataDir: string, id: string, number: number): void {
  changeStore(dataDir, 'update permission set id = ? where id = ?', number, Number(id));
  changeStore(dataDir, "update collection_version set version = version + 1 where name = 'permission'");
}

function changeStore(dataDir: string, sql: string, ...values: (string | number)[]): void {
  using database = new DatabaseSync(path.join(dataDir, 'rolecall.db'), { timeout: 5000 });
  database.prepare(sql).run(...values);
}

async function makeTemplate(scopes: readonly Scope[]): Promise<Template> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'rolecall-template-'));
  process.once('exit', () => {
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { dataDir, keys: await createKeys({ dataDir, environment: {} }, scopes) };
}

/** Makes a key of each scope in a store. */
export async function createKeys(store: KeyStore, scopes: readonly Scope[]): Promise<Record<Scope, NewKey>> {
  const made = scopes.map(async (scope) => [scope, await createKey({ ...store, scope })] as const);
  return Object.fromEntries(await Promise.all(made)) as Record<Scope, NewKey>;
}
