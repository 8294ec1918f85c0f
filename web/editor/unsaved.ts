/** Text typed into a tab that is not on the service yet. */
export interface Draft {
  readonly title: string;
  readonly text: string;
  /** The version of the tab that it is based on. */
  readonly version: number;
}

const held = new Map<string, Draft>();

/** Keeps a draft until it is saved: in memory, and through a reload in the storage of this window. */
export function keepDraft(key: string, draft: Draft): void {
  held.set(key, draft);
  try {
    sessionStorage.setItem(`rolecall draft ${key}`, JSON.stringify(draft));
  } catch {
    // The storage is full or turned off. The memory has it as long as the page is open.
  }
}

export function readDraft(key: string): Draft | undefined {
  const inMemory = held.get(key);
  if (inMemory !== undefined) return inMemory;
  try {
    const text = sessionStorage.getItem(`rolecall draft ${key}`);
    // Only this file writes it.
    return text === null ? undefined : (JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

export function dropDraft(key: string): void {
  held.delete(key);
  try {
    sessionStorage.removeItem(`rolecall draft ${key}`);
  } catch {
    // What cannot be stored cannot be there.
  }
}

/** True if leaving the page now would lose something. */
export function hasDrafts(): boolean {
  return held.size > 0;
}
