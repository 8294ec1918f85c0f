import type { ConnectionUri } from '@rolecall/api';
import type { Bindings } from '../databases/session.ts';
import type { Executor } from '../store/store.ts';

/** A query to execute. */
export interface ToExecute {
  readonly dataSource: string;
  readonly commands: readonly string[];
  /** Values that the database binds to the parameters of its commands. They are not stored. */
  readonly bindings?: Bindings;
  /** API key or person that asks for it, and shares the capacity with the others. */
  readonly asker: string;
  /** Owner; absent if an API key runs it. */
  readonly owner?: { readonly person: string; readonly editor: string; readonly tab: string | null };
  /**
   * Opens what the query runs within, such as a passage of the gate. If it throws, nothing begins.
   *
   * @param stop cancels the query, for a reason
   * @returns is called when the query is over
   */
  readonly enter?: (id: string, stop: (reason: string) => void) => Promise<() => void>;
}

/** A query that is about to be stored. */
export interface NewQuery {
  readonly id: string;
  readonly createdAt: string;
  /** Stores the query. @param uri where its commands will run */
  readonly insert: (executor: Executor, uri: ConnectionUri) => Promise<void>;
}
