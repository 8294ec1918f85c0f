/** Lead of the service's clock, by the Date of its answers. That clock begins and ends access. */
export class ClockSkew {
  #ms = 0;

  /** In milliseconds; less than 0 where the service is behind. */
  get ms(): number {
    return this.#ms;
  }

  /**
   * Takes the Date of an answer. It has whole seconds and was set at some moment of the exchange, so it gives the least and the most that
   * the clocks differ. A known difference between the two stays as it is.
   *
   * @param receivedAt when the answer was there, by this machine's clock, in milliseconds since 1970
   * @returns whether the difference is another one now
   */
  heard(date: string | undefined, exchangeMs: number, receivedAt: number): boolean {
    const told = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(told)) return false;
    const least = told - receivedAt;
    const most = told + 1_000 - (receivedAt - exchangeMs);
    const previousMs = this.#ms;
    this.#ms = Math.min(Math.max(previousMs, least), most);
    return this.#ms !== previousMs;
  }
}
