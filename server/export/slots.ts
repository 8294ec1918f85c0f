import { tooManyRequests } from '../http/limits/rate-limits.ts';
import { shareOf } from '../queries/slots.ts';

/** How many results one process writes at a time: each takes a part of its one thread. */
const most = 8;

/** Lets a limited number of downloads run, and each person have half of them. */
export class ExportSlots {
  readonly #taken = new Map<string, number>();
  #count = 0;

  /**
   * @returns to be called when the download is over
   * @throws Refusal too_many_requests
   */
  take(person: string): () => void {
    const own = this.#taken.get(person) ?? 0;
    if (this.#count >= most) throw tooManyRequests('too many results are downloaded at the moment', 5);
    if (own >= shareOf(most)) throw tooManyRequests('you download too many results at a time', 5);
    this.#count += 1;
    this.#taken.set(person, own + 1);
    return () => {
      this.#count -= 1;
      const left = (this.#taken.get(person) ?? 1) - 1;
      if (left === 0) this.#taken.delete(person);
      else this.#taken.set(person, left);
    };
  }
}
