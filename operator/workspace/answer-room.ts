/** The memory for the answers of one namespace's services: whoever may create a Workspace chooses what answers. */

import type { AnswerInRoom, AnswerRoom } from '@rolecall/api';

/** By estimate, in bytes: of answers under way, and of those that views keep. */
const mostBytes = 128 * 1024 * 1024;

/** Memory that each value of a JSON text takes beside its characters, in bytes. */
const bytesOfValue = 32;

export class NamespaceRoom {
  /** The bytes of each answer, by Workspace and path. */
  readonly #kept = new Map<string, Map<string, number>>();
  #used = 0;

  /** The part of one Workspace. @param name of the Workspace */
  of(name: string): AnswerRoom {
    return {
      begin: (path, isKept): AnswerInRoom => {
        let bytes = 0;
        return {
          take: (chunk) => {
            const more = estimate(chunk);
            bytes += more;
            this.#used += more;
            return this.#used <= mostBytes;
          },
          end: (isWhole) => {
            if (isKept && isWhole) this.#keep(name, path, bytes);
            else this.#used -= bytes;
          },
        };
      },
    };
  }

  /** Frees what a Workspace keeps. @returns whether no other keeps anything */
  forget(name: string): boolean {
    for (const bytes of this.#kept.get(name)?.values() ?? []) this.#used -= bytes;
    this.#kept.delete(name);
    return this.#kept.size === 0;
  }

  #keep(name: string, path: string, bytes: number): void {
    const kept = this.#kept.get(name) ?? new Map<string, number>();
    // It replaces what the last answer to the same question took.
    this.#used -= kept.get(path) ?? 0;
    kept.set(path, bytes);
    this.#kept.set(name, kept);
  }
}

const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b];

/** Three characters of a JSON text can take sixty bytes once they are read, so each value counts. */
function estimate(chunk: Uint8Array): number {
  let values = 0;
  // An iterator over the bytes would take a hundred times as long.
  for (let index = 0; index < chunk.length; index += 1) {
    const byte = chunk[index];
    if (byte === comma || byte === bracket || byte === brace) values += 1;
  }
  return chunk.length + values * bytesOfValue;
}
