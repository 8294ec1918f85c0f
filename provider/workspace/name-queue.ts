/** A change of an object that takes names which the service has once each. */
export interface NameChange<T> {
  readonly id: string;
  readonly make: () => Promise<T>;
  /** The object that has the name for which the service refused the change; undefined where it refused something else. */
  readonly holder: (error: unknown) => Promise<{ readonly id: string; readonly field: string } | undefined>;
  /** Gives a name up for a moment. @returns false where the object is to keep it */
  readonly free: (field: string) => Promise<boolean>;
}

/**
 * Names that one resource gives up and another one takes. Terraform applies resources in no fixed order, and tells of each only when
 * it is its turn: so the one that takes a name waits for the other one, and of those that exchange names one frees its own first.
 */
export class NameQueue {
  readonly #waiting = new Map<string, NameChange<unknown>['free']>();
  readonly #patience: number;
  /** Ends when the waiting changes before it have been tried: each looks at who waits, and may free the name of another one. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Number of changes, and of those that may have given a name up. */
  #done = 0;
  #given = 0;
  #news = Promise.withResolvers<undefined>();

  /** @param patience how long a change waits for a name while this command does nothing at all, in milliseconds */
  constructor(patience = 20_000) {
    this.#patience = patience;
  }

  /** Says that something was done. @param isGiven true if that may have given a name up */
  tell(isGiven: boolean): void {
    this.#done += 1;
    if (isGiven) this.#given += 1;
    this.#news.resolve(undefined);
    this.#news = Promise.withResolvers();
  }

  /** @throws what the change threw last, once this command does nothing that could give the name up */
  async take<T>(change: NameChange<T>): Promise<T> {
    try {
      return await change.make();
    } catch (error) {
      if ((await change.holder(error)) === undefined) throw error;
    }
    this.#waiting.set(change.id, change.free);
    this.tell(true);
    try {
      return await this.#wait(change);
    } finally {
      this.#waiting.delete(change.id);
      this.tell(true);
    }
  }

  async #wait<T>(change: NameChange<T>): Promise<T> {
    for (;;) {
      const given = this.#given;
      const tried = this.#turn.then(() => this.#try(change));
      this.#turn = tried.catch(() => undefined);
      const outcome = await tried;
      if ('made' in outcome) return outcome.made;
      while (this.#given === given) {
        const isIdle = !(await this.#hasNews());
        // One at a time: each that ends lets Terraform begin with another resource, which may be the one that has the name.
        if (isIdle && this.#waiting.keys().next().value === change.id) throw outcome.error;
      }
    }
  }

  async #try<T>(change: NameChange<T>): Promise<{ made: T } | { error: unknown }> {
    for (;;) {
      try {
        return { made: await change.make() };
      } catch (error) {
        const holder = await change.holder(error);
        if (holder === undefined) throw error;
        if ((await this.#waiting.get(holder.id)?.(holder.field)) !== true) return { error };
      }
    }
  }

  async #hasNews(): Promise<boolean> {
    const done = this.#done;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(resolve, this.#patience, undefined);
    void this.#news.promise.then(resolve);
    await promise;
    clearTimeout(timer);
    return this.#done !== done;
  }
}
