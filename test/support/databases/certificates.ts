import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { find } from './parts.ts';

export interface Certificates {
  /** The authority's certificate, and the server's certificate with its key; all as PEM. */
  authority: string;
  certificate: string;
  key: string;
}

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];

/** Makes an authority and a certificate for one name, and nothing else, that it has signed. */
export function makeCertificates(name = 'DNS:localhost'): Certificates {
  const openssl = find('openssl');
  const folder = mkdtempSync(path.join(tmpdir(), 'rolecall-certificates-'));
  const run = (...args: string[]): void => {
    execFileSync(openssl, args, { cwd: folder, stdio: 'ignore' });
  };
  const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  try {
    writeFileSync(path.join(folder, 'names'), `subjectAltName=${name}\n`);
    run('req', '-x509', ...curve, '-subj', '/CN=Test authority', '-keyout', 'ca.key', '-out', 'ca.pem');
    run('req', ...curve, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr');
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    run('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signing);
    return { authority: read('ca.pem'), certificate: read('server.pem'), key: read('server.key') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes this process trust an authority from now on. */
export function trust(authority: string): void {
  setDefaultCACertificates([...getCACertificates('default'), authority]);
}
