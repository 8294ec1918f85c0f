import { tooManyRequests } from '../http/limits/rate-limits.ts';
import { Slots } from '../slots.ts';

/** Results that a process writes at a time: each takes a part of its one thread. */
const most = 8;

/** Lets a limited number of downloads run, and each person have half of them. */
export class ExportSlots {
  readonly #slots = new Slots(most);

  /**
   * @returns to be called when the download is over
   * @throws Refusal too_many_requests
   */
  take(person: string): () => void {
    const { running } = this.#slots.counts();
    if (running >= most) throw tooManyRequests('too many results are downloaded at the moment', 5);
    if (!this.#slots.tryTake(person)) throw tooManyRequests('you download too many results at a time', 5);
    return () => {
      this.#slots.release(person);
    };
  }
}
