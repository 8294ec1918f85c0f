import { type CustomObject, labelOf } from '../resources/custom-object.ts';

/**
 * Ids of what objects have in the workspace while their status does not say so: the write may be on its way or fail, or the status has
 * another id until that one is given up. An object that is renamed meanwhile would leave what it has for ever.
 */
export class UnrecordedIds {
  /** By label, with the uid of the object; the oldest first. */
  readonly #ids = new Map<string, { readonly uid: string; readonly ids: Set<string> }>();

  note(object: CustomObject, id: string): void {
    const [label, { uid }] = [labelOf(object), object.metadata];
    const entry = this.#ids.get(label);
    if (entry?.uid === uid) entry.ids.add(id);
    else this.#ids.set(label, { uid, ids: new Set([id]) });
  }

  /** The ids of an object, without the one that its status has by now. */
  of(object: CustomObject): readonly string[] {
    const label = labelOf(object);
    const entry = this.#ids.get(label);
    if (entry?.uid !== object.metadata.uid) return [];
    if (object.status.id !== undefined) entry.ids.delete(object.status.id);
    if (entry.ids.size === 0) this.#ids.delete(label);
    return [...entry.ids];
  }

  /** An object has something no more. */
  drop(label: string, id: string): void {
    this.#ids.get(label)?.ids.delete(id);
  }

  forget(label: string): void {
    this.#ids.delete(label);
  }

  /** Forgets all: they are of another workspace. */
  clear(): void {
    this.#ids.clear();
  }

  labels(): readonly string[] {
    return [...this.#ids.keys()];
  }
}
