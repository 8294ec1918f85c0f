import { startService } from '@rolecall/server';

/** What the gateway of a benchmark needs; the key of its store is in ROLECALL_STORE_KEY. */
export interface GatewayJob {
  readonly databaseUrl: string;
  readonly protocol: 'postgresql' | 'mysql';
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
}

const { databaseUrl, protocol, port, tls } = JSON.parse(process.argv[2] ?? '') as GatewayJob;
const service = await startService({
  databaseUrl,
  allowedNetworks: ['127.0.0.0/8'],
  [protocol === 'mysql' ? 'gatewayMysql' : 'gatewayPostgresql']: { host: '127.0.0.1', port },
  ...(tls === undefined ? {} : { tls }),
});
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
// A benchmark that fails leaves nothing behind.
process.on('disconnect', () => process.exit(1));
process.on('message', () => process.send?.({ rss: process.memoryUsage.rss() }));
process.send?.(service.url);
