import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TerraformStack } from 'cdktf';
import type { Loaded } from './edition.ts';

/** The parts of a configuration that tests look at. */
export interface Configuration {
  readonly resource?: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly data?: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly removed?: readonly { from: string; lifecycle: { destroy: boolean } }[];
}

/** A stack named `access`, for CDKTF's own helpers. */
export function newStack({ library }: Loaded): TerraformStack {
  return new library.TerraformStack(library.Testing.app(), 'access');
}

/** What a stack comes to, as CDKTF's own helper for tests synthesises it: the text, and the same parsed. */
export function synth(loaded: Loaded, build: (stack: TerraformStack) => void) {
  const stack = newStack(loaded);
  build(stack);
  const text = loaded.library.Testing.synth(stack);
  return { text, stack, configuration: JSON.parse(text) as Configuration };
}

/** Writes definitions to files, for as long as `use` runs. */
export function withDefinitions<T>(files: Readonly<Record<string, string>>, use: (folder: string) => T): T {
  const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-cdktf-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The resources of a configuration by their addresses. */
export function resourcesOf({ resource = {} }: Configuration): Map<string, Record<string, unknown>> {
  return new Map(
    Object.entries(resource).flatMap(([type, named]) =>
      Object.entries(named).map(([name, attributes]) => [`${type}.${name}`, attributes] as const),
    ),
  );
}
