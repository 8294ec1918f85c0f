import type { Server } from 'node:https';
import { loadTlsPair, secureContext, type TlsFiles, type TlsPair } from './tls.ts';

/** Keeps the certificate of a server as its files are. */
export interface TlsReload {
  /** The one that is served. */
  readonly current: () => TlsPair;
  /** Looks at the files now. */
  readonly reload: () => Promise<void>;
  readonly stop: () => void;
}

export interface TlsReloadEvents {
  readonly reloaded: (pair: TlsPair) => void;
  /** The files are broken; what was served before is served on. Told once, not at every look. */
  readonly failed: (error: unknown) => void;
}

/**
 * How often the files are looked at, in milliseconds. Looking is sure where watching is not: Kubernetes changes a mounted
 * secret by exchanging a link two folders above the file.
 */
const lookEvery = 5000;

/** New connections get the new certificate; those that are open keep theirs. */
export function keepTlsCurrent(
  server: Server,
  files: TlsFiles,
  first: TlsPair,
  { reloaded, failed }: TlsReloadEvents,
): TlsReload {
  let current = first;
  let complaint: string | undefined;

  async function look(): Promise<void> {
    try {
      const found = await loadTlsPair(files);
      complaint = undefined;
      if (found.cert === current.cert && found.key === current.key) return;
      server.setSecureContext(secureContext(found));
      current = found;
      reloaded(found);
    } catch (error) {
      // While both files are being written they do not belong together: the next look finds them whole.
      const message = String(error);
      if (message !== complaint) failed(error);
      complaint = message;
    }
  }

  const timer = setInterval(() => void look(), lookEvery);
  timer.unref();
  return {
    current: () => current,
    reload: () => {
      complaint = undefined;
      return look();
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
