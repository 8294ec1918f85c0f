/** Place of a session at its server. */
export interface AtServer {
  readonly processId: number;
  readonly address: string;
}

/** The same as the store has it. */
export interface StoredAtServer extends AtServer {
  /** Time at which it was ready for its client, by the store's clock, in milliseconds since 1970. */
  readonly readyAt: number;
}

/** A session at a server whose gateway has died. */
export interface LeftBehind extends AtServer {
  /** Time since it was ready for its client, in milliseconds. */
  readonly ageMs: number;
}

export function serialiseAtServer({ processId, address }: AtServer, now: number): string {
  const stored: StoredAtServer = { processId, address, readyAt: Math.round(now) };
  return JSON.stringify(stored);
}

export function parseAtServer(text: string): StoredAtServer {
  // Only the gateway writes it.
  return JSON.parse(text) as StoredAtServer;
}
