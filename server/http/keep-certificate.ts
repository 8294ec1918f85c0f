import { loadTlsPair, type TlsFiles, type TlsPair } from './tls.ts';

/** Reads the certificate of a server anew when its files change. */
export interface TlsReload {
  /** The certificate in use. */
  readonly current: () => TlsPair;
  /** Looks at the files now. */
  readonly reload: () => Promise<void>;
  readonly stop: () => void;
}

interface CertificateParts {
  readonly metrics: { readonly tlsReloadFailed: () => void };
  readonly log: {
    readonly info: (details: object, message: string) => void;
    readonly error: (details: object, message: string) => void;
  };
}

/**
 * Interval at which the files are read, in milliseconds. Reading notices every change, and watching does not: Kubernetes changes
 * a mounted secret by exchanging a link two folders above the file.
 */
const checkEvery = 5000;

/**
 * Looks at the files of a certificate every few seconds, and logs what it finds. New connections get the new certificate; those that
 * are open keep theirs. While the files cannot be used, the certificate before them stays in use.
 *
 * @param use takes one that is read anew
 */
export function keepCertificate(
  files: TlsFiles,
  first: TlsPair,
  use: (pair: TlsPair) => void,
  { metrics, log }: CertificateParts,
): TlsReload {
  let current = first;
  let complaint: string | undefined;

  async function check(): Promise<void> {
    try {
      const pair = await loadTlsPair(files);
      complaint = undefined;
      if (pair.cert === current.cert && pair.key === current.key) return;
      use(pair);
      log.info({ certFile: files.certFile, expiresAt: pair.expiresAt }, 'the certificate was read anew');
      current = pair;
    } catch (err) {
      // While both files are being written they do not match: the next check finds them whole. Logged once, not at every check.
      const message = String(err);
      if (message === complaint) return;
      complaint = message;
      metrics.tlsReloadFailed();
      log.error({ err }, 'the certificate cannot be used; the one before is served on');
    }
  }

  const timer = setInterval(() => void check(), checkEvery);
  timer.unref();
  return {
    current: () => current,
    reload: () => {
      complaint = undefined;
      return check();
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
