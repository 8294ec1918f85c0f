import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StoreKeyError } from '../store/errors.ts';
import { parseKeyCommand, runKeyCommand } from './key-command.ts';
import { keyForm, parseKeys } from './store-key.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Source of the store's key. */
export interface KeySource {
  /** For messages, as in "the file /run/secrets/key". */
  readonly name: string;
  /**
   * One key, or two while the key is being changed, the old one first.
   *
   * @throws StoreKeyError, which never repeats a key
   */
  read(): Promise<readonly KeyObject[]>;
}

/** The source that the environment names: the first of three variables that is set. @throws StoreKeyError */
export function givenKeySource(environment: Environment): KeySource | undefined {
  const {
    ROLECALL_STORE_KEY: key = '',
    ROLECALL_STORE_KEY_FILE: file = '',
    ROLECALL_STORE_KEY_COMMAND: command = '',
  } = environment;
  if (key !== '') {
    const name = 'ROLECALL_STORE_KEY';
    return { name, read: () => Promise.try(() => parseKeys(key, name)) };
  }
  if (file !== '') return fileSource(file, `ROLECALL_STORE_KEY_FILE names ${file}, which does not exist`);
  if (command !== '') {
    const words = parseKeyCommand(command);
    const name = `the command of ROLECALL_STORE_KEY_COMMAND (${words[0]})`;
    return { name, read: async () => parseKeys(await runKeyCommand(words, name), name) };
  }
  return undefined;
}

/** @param missing the message where the file is not there */
export function fileSource(file: string, missing: string): KeySource {
  return {
    name: `the file ${file}`,
    read: () =>
      Promise.try(() => {
        const text = readIfThere(file);
        if (text === undefined) throw new StoreKeyError(missing);
        return parseKeys(text, file);
      }),
  };
}

/**
 * The source of a store in a database. Its key is never made here: it must not lie beside the data, and all replicas share it.
 *
 * @throws StoreKeyError where the environment names none
 */
export function requireKeySource(environment: Environment): KeySource {
  const given = givenKeySource(environment);
  if (given !== undefined) return given;
  throw new StoreKeyError(
    `a store in a database needs its key from outside: at every replica set ROLECALL_STORE_KEY, or a file that ROLECALL_STORE_KEY_FILE names, or what the command of ROLECALL_STORE_KEY_COMMAND prints, to the same ${keyForm}`,
  );
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StoreKeyError(`${file} cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
}
