import { signal } from '@preact/signals';

const key = 'rolecall-dismissed';

/** The most notices that the browser remembers. */
const mostKept = 500;

/** The notices that the person has closed in this browser. */
export const dismissed = signal<ReadonlySet<string>>(new Set(read()));

/** Closes a notice for good. @param about the id of a message, or another name that is never used again */
export function dismiss(about: string): void {
  dismissed.value = new Set([...dismissed.value, about].slice(-mostKept));
  try {
    localStorage.setItem(key, JSON.stringify([...dismissed.value]));
  } catch {
    // A browser that stores nothing shows the notice again in its next page.
  }
}

function read(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}
