import type { Admitted } from './guard/index.ts';

/** The product and version of a server. `productVersion` is its own text; the numbers come from its beginning. */
export interface ServerVersion {
  productName: string;
  productVersion: string;
  major: number;
  minor: number;
  patch: number;
}

/** The result of a connection test. */
export interface Found {
  version: ServerVersion;
  /** Why the connection is not fully protected. */
  warning?: string | undefined;
}

/** A kind of database that a data source may point to. */
export interface Dialect {
  /**
   * Connects, asks the server for its version, and leaves nothing behind.
   *
   * @param signal ends the attempt and closes everything at once
   * @throws the driver's own error
   */
  readVersion: (uri: Admitted, signal: AbortSignal) => Promise<Found>;
}

/** Reads the numbers that a version text begins with, as in "15.18 (Debian)", "18beta1" and "8.0.36-log". */
export function serverVersion(productName: string, productVersion: string): ServerVersion {
  const [, major = 0, minor = 0, patch = 0] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(productVersion) ?? [];
  return { productName, productVersion, major: Number(major), minor: Number(minor), patch: Number(patch) };
}
