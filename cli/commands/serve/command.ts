import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, formatOption, gather, lazily, type Run } from '../../command.ts';
import { databaseUrlOption, folderOption } from '../../options/store-options.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** `rolecall serve`. */
export function addServe(program: Command, run: Run): void {
  addCommand(program, 'serve', 'start the workspace service', 'rolecall serve --data ./rolecall-data --port 8480')
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .option('--port <port>', 'the port to listen on; 0 for any that is free', parsePort, 8480)
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .addOption(
      new Option('--log-level <level>', 'what to log on standard error: as JSON lines, on a terminal as text')
        .choices(logLevels)
        .default('info'),
    )
    .option('--query-retention <duration>', 'how long completed queries are kept, such as 7d; 0 for ever', '24h')
    .option(
      '--query-timeout <duration>',
      'how long a database may work on one command of a query, such as 10m; 0 for as long as it takes',
      '1h',
    )
    .addOption(
      new Option('--query-max-bytes <size>', 'how large the rows of one query may be, such as 500MiB; 0 for any size')
        .argParser(parseSize)
        .default(10 * 1024 ** 3, '10GiB'),
    )
    .addOption(
      new Option('--audit-statements <how>', 'what the audit trail has of the statements of queries')
        .choices(['text', 'digest'])
        .default('text'),
    )
    .option(
      '--audit-sink <url>',
      'send the audit trail to file:/path, syslog://host:port (TLS), syslog+tcp://host:port or https://host/path; may be given again',
      gather,
    )
    .option('--audit-sink-authorization-file <file>', 'the Authorization header for an HTTPS receiver')
    .option(
      '--deny-network <network>',
      'a network that data sources must not lead to, such as 10.0.0.0/8; may be given again',
      gather,
    )
    .option(
      '--allow-network <network>',
      'one that they may lead to although it is denied, such as 127.0.0.0/8 for this machine',
      gather,
    )
    .option(
      '--sqlite-folder <dir>',
      'where SQLite data sources may be (default: none are allowed); may be given again',
      gather,
    )
    .option(
      '--tls-cert <file>',
      'speak TLS with this certificate and those after it, in PEM; read anew when it changes',
    )
    .option('--tls-key <file>', 'the key of the certificate, in PEM')
    .option('--metrics-port <port>', 'also show /metrics on this port, without a key', parsePort)
    .option('--metrics-host <host>', 'the address for that', '127.0.0.1')
    .option('--rate-limit <requests>', 'requests a second that one API key may make; 0 for any number', parseRate, 2000)
    .option('--rate-burst <requests>', 'how many of them at once (default: those of two seconds)', parseCount)
    .option('--max-requests <count>', 'requests worked on at a time; more are answered with 503', parseCount, 512)
    .option('--max-connections <count>', 'open connections; more are closed', parseCount, 10_000)
    .option(
      '--trusted-proxies <networks>',
      'whose X-Forwarded-For to believe, such as 10.0.0.0/8,127.0.0.1',
      parseNetworks,
    )
    .option(
      '--public-url <url>',
      'where browsers reach the service, such as https://rolecall.example.com; without it, people sign in only on loopback',
    )
    .option('--session-idle <duration>', "how long a person's session lives without a request, such as 30m", '1h')
    .option('--session-length <duration>', "how long a person's session lives in all, such as 12h", '24h')
    .addOption(
      new Option(
        '--gateway-postgresql <address>',
        'let people in with their own PostgreSQL clients on this [host]:port, such as :6432 (default host: that of --host)',
      ).argParser(parseAddress),
    )
    .addOption(
      new Option(
        '--gateway-address <address>',
        'where people are told to connect these clients, such as gateway.example.com:6432 (default: the host of --public-url)',
      ).argParser(parseAddress),
    )
    .option(
      '--oidc <file>',
      'the OpenID providers with which people sign in, in YAML (docs/people.md; or ROLECALL_OIDC_FILE)',
    )
    .option('--trust <file>', 'which tokens of pipelines are exchanged for API keys, in YAML or JSON (docs/service.md)')
    .option('--require-two-factor', 'everyone who signs in with a password has to have a second factor')
    .option('--admin-role <name>', 'the role whose members are administrators on the page (or ROLECALL_ADMIN_ROLE)')
    .option(
      '--smtp-url <url>',
      'mail invitations through smtps://user:password@host, or smtp:// for STARTTLS (or ROLECALL_SMTP_URL)',
    )
    .option('--smtp-from <address>', 'the sender of these mails')
    .option('--shutdown-grace <duration>', 'how long to answer on, and not be ready, before stopping, such as 10s', '0')
    .addOption(formatOption('text', 'json'))
    .action(run(lazily(() => import('./serve.ts'), 'serveUntilSignal')));
}

function parseRate(text: string): number {
  return text === '0' ? 0 : parseCount(text);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count > 0) return count;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

const units = ['', 'Ki', 'Mi', 'Gi', 'Ti'];

/** @returns bytes */
function parseSize(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,12})(?:([KMGT]i)B?)?$/.exec(text) ?? [];
  const bytes = Number(digits) * 1024 ** units.indexOf(unit);
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('It must be a number of bytes, or one with a unit such as 500MiB or 10GiB.');
}

function parseNetworks(text: string): string[] {
  const networks = text.split(',').map((part) => part.trim());
  if (networks.every(isNetwork)) return networks;
  throw new InvalidArgumentError('It must be addresses or networks such as 10.0.0.0/8, with commas between them.');
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  if (version === 0 || more.length > 0) return false;
  // All addresses would mean to trust every client that sends the header; Fastify refuses that too.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
}

/** @returns the host without brackets; empty where there is none */
function parseAddress(text: string): { host: string; port: number } {
  const [, inBrackets, plain = '', digits = ''] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^[\]:\s]*)):(\d{1,5})$/.exec(text) ?? [];
  if (digits === '') throw new InvalidArgumentError('It must be a host and a port, as in 127.0.0.1:6432 or :6432.');
  return { host: inBrackets ?? plain, port: parsePort(digits) };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}
