import type { Outcome } from '../status/conditions.ts';

/**
 * Objects that the service refused for good, as they were declared then. They are not sent again until they, or something that they
 * need, changes. That includes a change that comes while the refused call is in flight.
 */
export class RefusedObjects {
  readonly #refused = new Map<string, { readonly declared: string; readonly outcome: Outcome }>();
  readonly #touched = new Set<string>();

  /** The service's refusal of the object as it is declared now, if there is one. @param declare asked only after a refusal */
  find(label: string, declare: () => string): Outcome | undefined {
    const refusal = this.#refused.get(label);
    return refusal !== undefined && refusal.declared === declare() ? refusal.outcome : undefined;
  }

  /** From here on, `forget` counts as a change that came during the call. */
  begin(): void {
    this.#touched.clear();
  }

  add(label: string, declared: string, outcome: Outcome): void {
    if (!this.#touched.has(label)) this.#refused.set(label, { declared, outcome });
  }

  /** The object changed, or something that it needs: another try is worth a call. */
  forget(label: string): void {
    this.#refused.delete(label);
    this.#touched.add(label);
  }

  remove(label: string): void {
    this.#refused.delete(label);
    this.#touched.delete(label);
  }

  /** Forgets all refusals: another key may be allowed to do what this one was not. */
  clear(): void {
    this.#refused.clear();
  }
}
