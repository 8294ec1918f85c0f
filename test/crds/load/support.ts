import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Loaded, loadDefinitions, type Problem } from '@rolecall/crds';

/** The first four lines of a definition; `spec:` is the fifth. */
export function head(kind: string, name = 'x'): string {
  return `apiVersion: rolecall.dev/v1alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
}

/** A whole Person. */
export function personText(name: string, spec = ''): string {
  return `${head('Person', name)}spec:\n  name: Somebody\n  email: ${name}@example.com\n${spec}`;
}

/** The same as a value, for JSON. */
export function personJson(name: string) {
  const spec = { name: 'Somebody', email: `${name}@example.com` };
  return { apiVersion: 'rolecall.dev/v1alpha1', kind: 'Person', metadata: { name }, spec };
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Folder extends Disposable {
  readonly path: string;
}

/** A folder with files that is removed at the end of its block. */
export function folderOf(files: Files): Folder {
  const path = mkdtempSync(join(tmpdir(), 'rolecall-crds-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Loads files as a folder; in the problems the names of files are relative to it. */
export async function loadFiles(files: Files, only?: readonly string[]): Promise<Loaded> {
  using folder = folderOf(files);
  const paths = only?.map((name) => join(folder.path, name)) ?? [folder.path];
  const loaded = await loadDefinitions(paths);
  return { ...loaded, problems: loaded.problems.map((problem) => relative(problem, folder.path)) };
}

function relative(problem: Problem, folder: string): Problem {
  const cut = (text: string) => text.replaceAll(`${folder}/`, '');
  return { ...problem, file: cut(problem.file), message: cut(problem.message), remedy: cut(problem.remedy) };
}

/** Standard input that has a text. */
export async function* streamOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}
