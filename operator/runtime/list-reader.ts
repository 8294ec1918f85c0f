/** Cuts the answer to a list into its objects as it comes, so that they are handled while the API server encodes the next ones. */

import { StringDecoder } from 'node:string_decoder';
import { maxLength } from './answer.ts';
import { AnswerTooLargeError } from './errors.ts';
import { withoutManagedFields } from './managed-fields.ts';

const [itemsKey, metadataKey] = ['"items":[', '"metadata":{'];

/**
 * Reads one list. Its objects begin alike, so the text is cut where one ends and the next begins. Only what parses is handed over: an
 * object that has such a place within it is not whole there, and waits for the rest of its text.
 */
export class ListReader {
  readonly #onItem: (item: unknown) => void;
  readonly #decoder = new StringDecoder();
  /** The list up to its first object. */
  #before = '';
  /** The text that has come since, and is not handed over. */
  #text = '';
  /** The characters between one object and the next; empty until the first one has begun. */
  #border = '';

  /** @param onItem called with each object, without its managed fields */
  constructor(onItem: (item: unknown) => void) {
    this.#onItem = onItem;
  }

  /** @throws AnswerTooLargeError where no object ends for very long, and what `onItem` throws */
  take(chunk: Buffer): void {
    this.#text += this.#decoder.write(chunk);
    if (this.#border === '') this.#findBorder();
    const end = this.#border === '' ? -1 : this.#text.lastIndexOf(this.#border);
    const items = end === -1 ? undefined : parsed(`[${this.#text.slice(0, end + 1)}]`);
    if (items !== undefined) {
      this.#text = this.#text.slice(end + 2);
      for (const item of items) this.#onItem(item);
    }
    // Those who may create objects could fill the memory otherwise.
    if (this.#text.length > maxLength)
      throw new AnswerTooLargeError(
        `the API server sent ${maxLength / 1024 / 1024} MiB of a list without completing an object`,
      );
  }

  /**
   * Hands over what is left.
   *
   * @returns the list, with its last objects only
   */
  end(): unknown {
    const list = JSON.parse(withoutManagedFields(this.#before + this.#text)) as { readonly items?: unknown };
    // Some lists without an object have null.
    if (Array.isArray(list.items)) for (const item of list.items) this.#onItem(item);
    return list;
  }

  #findBorder(): void {
    const first = this.#text.indexOf(itemsKey) + itemsKey.length;
    const metadata = this.#text.indexOf(metadataKey, first);
    if (first < itemsKey.length || metadata === -1 || this.#text[first] !== '{') return;
    this.#before = this.#text.slice(0, first);
    this.#border = `},${this.#text.slice(first, metadata + metadataKey.length)}`;
    this.#text = this.#text.slice(first);
  }
}

/** @returns undefined where the text is not whole */
function parsed(text: string): unknown[] | undefined {
  try {
    return JSON.parse(withoutManagedFields(text)) as unknown[];
  } catch {
    return undefined;
  }
}
