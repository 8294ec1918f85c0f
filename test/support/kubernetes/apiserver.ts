import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import path from 'node:path';
import { makePassword, serverFolder, startServer } from '../databases/server.ts';
import { freePort } from '../free-port.ts';
import { type ApiserverPrograms, findApiserver } from './programs.ts';

/** A real kube-apiserver with an etcd of its own. */
export interface Apiserver {
  readonly url: string;
  readonly port: number;
  /** The certificate authority, in PEM. */
  readonly ca: string;
  /** The key of its certificate, in PEM: with it, a proxy before it looks just like it. */
  readonly key: string;
  /** The token of an administrator (system:masters). */
  readonly token: string;
  /** A kubeconfig of that administrator, in YAML. */
  readonly kubeconfig: string;
  /** The same for a server that stands at another address, such as a proxy before this one. */
  readonly kubeconfigAt: (url: string, token?: string) => string;
  /** One line of JSON for each request (audit.k8s.io/v1, level Metadata), where it was asked for. */
  readonly auditLog: string | undefined;
  /** Stops both and removes all they wrote; the end of the process does the same. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a kube-apiserver on free ports of 127.0.0.1, with an empty etcd in a temporary folder.
 *
 * @param options.audit whether every request is written down
 * @throws when there is none (ask `requires('kubernetes')` first) or it does not start
 */
export async function startApiserver(options: Options = {}): Promise<Apiserver> {
  const programs = findApiserver();
  if (programs === undefined) throw new Error('no kube-apiserver is built here: run npm run cluster -- --build');
  // A port that was free may be somebody else's a moment later. Whatever else keeps it from starting is told at once.
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startPrograms(programs, options);
    } catch (error) {
      if (attempt === mostAttempts || !/address already in use/.test(String(error))) throw error;
    }
  }
}

const mostAttempts = 3;

interface Options {
  readonly audit?: boolean;
}

async function startPrograms(programs: ApiserverPrograms, { audit = false }: Options): Promise<Apiserver> {
  const [folder, port, token] = [await serverFolder('apiserver', {}), await freePort(), makePassword()];
  await writeSecrets(folder, token);
  const auditLog = audit ? path.join(folder, 'audit.log') : undefined;
  const auditing = auditLog === undefined ? [] : await auditFlags(folder, auditLog);
  const etcd = 'both' in programs ? undefined : await startEtcd(programs);
  const certificates = path.join(folder, 'certificates');
  const readAuthority = () => readFile(path.join(certificates, 'apiserver.crt'), 'utf8');
  const url = `https://127.0.0.1:${port}`;
  const stop = await startServer(
    {
      folder,
      user: {},
      // Nothing of it is kept, and its orderly end takes longer than some of the tests.
      stopSignal: 'SIGKILL',
      setup: [],
      server: command(programs, folder, etcd?.url, [...apiserverFlags(folder, certificates, port), ...auditing]),
    },
    async () => isReady(port, token, await readAuthority()),
  ).catch(async (error: unknown) => {
    await etcd?.stop();
    throw error;
  });
  const ca = await readAuthority();
  const kubeconfigAt = (address: string, other = token) => kubeconfigOf(address, ca, other);
  return {
    url,
    port,
    ca,
    key: await readFile(path.join(certificates, 'apiserver.key'), 'utf8'),
    token,
    kubeconfig: kubeconfigAt(url),
    kubeconfigAt,
    auditLog,
    stop: async () => {
      await stop();
      await etcd?.stop();
    },
  };
}

async function writeSecrets(folder: string, token: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(path.join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await writeFile(path.join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
}

async function auditFlags(folder: string, log: string): Promise<string[]> {
  const policy = path.join(folder, 'audit.yaml');
  const stages = 'omitStages: [RequestReceived, ResponseStarted]';
  await writeFile(policy, `apiVersion: audit.k8s.io/v1\nkind: Policy\n${stages}\nrules: [{ level: Metadata }]\n`);
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-mode=blocking'];
}

function apiserverFlags(folder: string, certificates: string, port: number): string[] {
  const key = path.join(folder, 'key.pem');
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${certificates}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-account-issuer=https://rolecall.test',
    `--token-auth-file=${path.join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    // No controller makes the service accounts that pods would need here.
    '--disable-admission-plugins=ServiceAccount',
  ];
}

function command(programs: ApiserverPrograms, folder: string, etcd: string | undefined, flags: readonly string[]) {
  return 'both' in programs
    ? { program: programs.both, args: ['-folder', folder, '--', ...flags] }
    : { program: programs.apiserver, args: [...flags, `--etcd-servers=${etcd ?? ''}`] };
}

async function startEtcd(programs: Extract<ApiserverPrograms, { etcd: string }>) {
  const [folder, port, peerPort] = [await serverFolder('etcd', {}), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const args = [
    `--data-dir=${path.join(folder, 'data')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ];
  const job = { folder, user: {}, stopSignal: 'SIGKILL' as const, setup: [], server: { program: programs.etcd, args } };
  const stop = await startServer(job, async () => (await fetch(`${url}/health`)).ok);
  return { url, stop };
}

function isReady(port: number, token: string, ca: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const headers = { authorization: `Bearer ${token}` };
  request({ host: '127.0.0.1', port, path: '/readyz', ca, headers, agent: false, timeout: 5_000 }, (answer) => {
    answer.resume();
    resolve(answer.statusCode === 200);
  })
    .on('error', reject)
    .end();
  return promise;
}

function kubeconfigOf(server: string, ca: string, token: string): string {
  const base64 = Buffer.from(ca).toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
  - name: rolecall
    cluster: { server: "${server}", certificate-authority-data: ${base64} }
users:
  - name: admin
    user: { token: ${token} }
contexts:
  - name: rolecall
    context: { cluster: rolecall, user: admin }
current-context: rolecall
`;
}
