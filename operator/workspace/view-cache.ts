import type { Client } from '@rolecall/api';
import { createView, type View } from '@rolecall/reconcile';

export interface CurrentView {
  readonly view: View;
  /** True if a drift check is due, and the workspace has changed since everything was last compared. */
  readonly hasDrifted: boolean;
}

/** The view of a workspace, kept from one reconcile to the next and read again when it is stale. */
export class ViewCache {
  #client: Client | undefined;
  #view: View | undefined;
  /** The store that the view was read from, where the service tells it. */
  #store: string | undefined;
  #isStale = false;
  #isDriftCheckDue = false;
  /** True if another view was read since everything was last compared. */
  #isUncompared = false;

  /** Has the workspace read again before the next reconcile, as far as its ETags changed. */
  expire(): void {
    this.#isStale = true;
  }

  /** Has the workspace read again, and everything compared with it if it changed. */
  checkDrift(): void {
    this.expire();
    this.#isDriftCheckDue = true;
  }

  /** True if the view comes from another client (and so by another key or address) or from another store. */
  isOfOther(client: Client): boolean {
    const [lastStore, now] = [this.#store, client.store()];
    return this.#client !== client || (lastStore !== undefined && now !== undefined && lastStore !== now);
  }

  /** Notes that the view has been read from the store which the client heard of last. */
  settle(client: Client): void {
    this.#store = client.store() ?? this.#store;
  }

  /**
   * The view, read again where it is stale.
   *
   * @param needsSnippets whether objects declare snippets, or snippets are exact
   * @throws what reading throws; the next call reads again
   */
  async get(client: Client, needsSnippets: boolean): Promise<CurrentView> {
    if (this.isOfOther(client)) {
      this.#view = undefined;
      this.#store = undefined;
    }
    this.#client = client;
    const lastView = this.#view;
    const isStale = this.#isStale;
    // A request that comes during the reading may mean what this reading does not see.
    this.#isStale = false;
    if (lastView === undefined || !isStale) {
      this.#view ??= createView(client, { isWhole: true });
      return { view: this.#view, hasDrifted: false };
    }
    // Snippets that no object declares were read for one plan, such as the deletion of a person; the next such plan reads them again.
    if (!needsSnippets) lastView.drop('snippets');
    try {
      this.#view = await lastView.renew();
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
    if (this.#view !== lastView) this.#isUncompared = true;
    if (!this.#isDriftCheckDue) return { view: this.#view, hasDrifted: false };
    const hasDrifted = this.#isUncompared;
    this.#isDriftCheckDue = false;
    this.#isUncompared = false;
    return { view: this.#view, hasDrifted };
  }
}
