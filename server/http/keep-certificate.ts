import { keepTlsCurrent, type TlsFiles, type TlsPair, type TlsReload } from './tls.ts';

interface CertificateParts {
  readonly metrics: { readonly tlsReloadFailed: () => void };
  readonly log: {
    readonly info: (details: object, message: string) => void;
    readonly error: (details: object, message: string) => void;
  };
}

/** Looks at the files of a certificate every few seconds, and logs what it finds. @param use takes one that is read anew */
export function keepCertificate(
  files: TlsFiles,
  pair: TlsPair,
  use: (pair: TlsPair) => void,
  { metrics, log }: CertificateParts,
): TlsReload {
  return keepTlsCurrent(files, pair, {
    reloaded: (anew) => {
      use(anew);
      log.info({ certFile: files.certFile, expiresAt: anew.expiresAt }, 'the certificate was read anew');
    },
    failed: (err) => {
      metrics.tlsReloadFailed();
      log.error({ err }, 'the certificate cannot be used; the one before is served on');
    },
  });
}
