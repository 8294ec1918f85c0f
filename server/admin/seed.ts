import { z } from 'zod';
import { commandLineEntry } from '../audit/command-line.ts';
import type { Change } from '../audit/entry.ts';
import { digestText } from '../audit/show.ts';
import { laterThan, systemClock } from '../clock.ts';
import { openData } from '../data/open-data.ts';
import type { StoreLocation } from '../data/store-location.ts';
import { fieldErrors } from '../field-errors.ts';
import { newId } from '../ids.ts';
import type { Environment } from '../secrets/key-source.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import { findDataSourceByAlias } from '../store/data-source.ts';
import { findEditorOf, insertEditor, touchEditor } from '../store/editor.ts';
import { deleteEditorTabs, insertEditorTab } from '../store/editor-tab.ts';
import { findPersonByUsername } from '../store/person.ts';
import type { Executor } from '../store/store.ts';

const line = z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters');

const seedEntry = z.strictObject({
  person: line,
  dataSource: line,
  tabs: z
    .array(z.strictObject({ title: line, text: z.string().max(1_000_000, 'must have at most 1000000 characters') }))
    .max(1000, 'must have at most 1000 tabs'),
});

/** An editor: its person by username, its data source by alias, and its tabs in order. */
export type SeedEntry = z.output<typeof seedEntry>;

export interface SeedProblem {
  /** Counts from 0. */
  entry: number;
  /** The field in the entry, as in `tabs.0.title`; empty for the entry as a whole. */
  path: string;
  message: string;
}

export class SeedError extends Error {
  override name = 'SeedError';
  readonly code = 'ERR_SEED';
  /** All of them, not only the first. */
  readonly problems: readonly SeedProblem[];
  constructor(problems: readonly SeedProblem[]) {
    const lines = problems.map(
      ({ entry, path, message }) => `entry ${entry + 1}: ${path === '' ? '' : `${path} `}${message}`,
    );
    super(lines.join('\n'));
    this.problems = problems;
  }
}

/**
 * Puts editors with tabs into a store: all of them or, when anything is wrong, none. An editor that
 * the person has on the data source already gets these tabs instead of its own, so that seeding twice changes nothing.
 *
 * @param entries what a file holds, not checked yet
 * @throws SeedError, and what `openData` throws
 */
export async function seedEditors({
  environment = process.env,
  entries,
  ...where
}: StoreLocation & {
  environment?: Environment;
  entries: unknown;
}): Promise<{ created: number; updated: number }> {
  const checked = checkEntries(entries);
  const { store, digest } = await openData(where, environment);
  try {
    return await store.write(['editor'], async (executor, record) => {
      const targets = await findTargets(executor, checked);
      const changes: Change[] = [];
      for (const target of targets) changes.push(await putEditor(executor, target, digest));
      if (changes.length > 0) record(commandLineEntry('seed', changes));
      const created = changes.filter(({ action }) => action === 'created').length;
      return { created, updated: targets.length - created };
    });
  } finally {
    await store.close();
  }
}

function checkEntries(entries: unknown): SeedEntry[] {
  if (!Array.isArray(entries)) throw new SeedError([{ entry: 0, path: '', message: 'the file must hold a list' }]);
  const problems: SeedProblem[] = [];
  const checked: SeedEntry[] = [];
  for (const [entry, value] of entries.entries()) {
    const result = seedEntry.safeParse(value, { reportInput: true });
    if (result.success) checked.push(result.data);
    else problems.push(...fieldErrors(result.error, seedEntry).map((error) => ({ entry, ...error })));
  }
  if (problems.length > 0) throw new SeedError(problems);
  return checked;
}

interface Target {
  personId: string;
  dataSourceId: string;
  tabs: SeedEntry['tabs'];
}

/** Finds whom and what each entry names. Two entries for one editor would undo each other. */
async function findTargets(executor: Executor, entries: readonly SeedEntry[]): Promise<Target[]> {
  const problems: SeedProblem[] = [];
  const targets: Target[] = [];
  const seen = new Map<string, number>();
  for (const [entry, { person, dataSource, tabs }] of entries.entries()) {
    const personId = await findPersonByUsername(executor, person);
    const dataSourceId = await findDataSourceByAlias(executor, dataSource);
    if (personId === undefined) {
      problems.push({ entry, path: 'person', message: `refers to no person: no person has the username ${person}` });
    }
    if (dataSourceId === undefined) {
      problems.push({
        entry,
        path: 'dataSource',
        message: `refers to no data source: none has the alias ${dataSource}`,
      });
    }
    if (personId === undefined || dataSourceId === undefined) continue;
    const key = `${personId} ${dataSourceId}`;
    const first = seen.get(key);
    if (first === undefined) targets.push({ personId, dataSourceId, tabs });
    else problems.push({ entry, path: '', message: `is for the same person and data source as entry ${first + 1}` });
    seen.set(key, entry);
  }
  if (problems.length > 0) throw new SeedError(problems);
  return targets;
}

/** Makes an editor, or gives the one that is there other tabs. */
async function putEditor(executor: Executor, target: Target, digest: KeyedDigest): Promise<Change> {
  const { personId, dataSourceId, tabs } = target;
  const editor = await findEditorOf(executor, personId, dataSourceId);
  const id = editor?.id ?? newId();
  const at = editor === undefined ? systemClock().toISOString() : laterThan(editor.updatedAt, systemClock);
  if (editor === undefined) await insertEditor(executor, { id, person: personId, dataSource: dataSourceId, at });
  else await touchEditor(executor, id, at);
  await deleteEditorTabs(executor, id);
  for (const { title, text } of tabs) await insertEditorTab(executor, { id: newId(), editor: id, title, text, at });
  const shownTabs = tabs.map(({ title, text }) => ({ title, text: digestText(text, digest) }));
  if (editor === undefined) {
    const after = { person: personId, dataSource: dataSourceId, createdAt: at, updatedAt: at, tabs: shownTabs };
    return { kind: 'editor', id, action: 'created', after };
  }
  const former = { updatedAt: editor.updatedAt };
  return { kind: 'editor', id, action: 'changed', before: former, after: { updatedAt: at, tabs: shownTabs } };
}
