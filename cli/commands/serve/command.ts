import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, formatOption, gather, lazily, type Run } from '../../command.ts';
import { addListenerOptions, parseAddress, parsePort } from '../../listening/options.ts';
import { databaseUrlOption, folderOption } from '../../options/store-options.ts';

/** `rolecall serve`. */
export function addServe(program: Command, run: Run): void {
  const command = addCommand(
    program,
    'serve',
    'start the workspace service',
    'rolecall serve --data ./rolecall-data --port 8480',
  )
    .addOption(folderOption())
    .addOption(databaseUrlOption())
    .option('--port <port>', 'the port to listen on; 0 for any that is free', parsePort, 8480);
  addListenerOptions(command, {
    shows: 'also show /metrics',
    stops: 'how long to keep answering, without being ready,',
  });
  addQueryOptions(command);
  addLimitOptions(command);
  addPageOptions(command);
  addSignInOptions(command);
  command.addOption(formatOption('text', 'json')).action(run(lazily(() => import('./serve.ts'), 'serveUntilSignal')));
}

/** Adds the options that say how long queries and their rows live, where the trail is sent, and where SQLite files may be. */
function addQueryOptions(command: Command): void {
  command
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
    .option(
      '--audit-sink <url>',
      'send the audit trail to file:/path, syslog://host:port (TLS), syslog+tcp://host:port or https://host/path; may be repeated',
      gather,
    )
    .option('--audit-sink-authorization-file <file>', 'the Authorization header for an HTTPS receiver')
    .option(
      '--sqlite-folder <dir>',
      'where SQLite data sources may be (default: none are allowed); may be repeated',
      gather,
    );
}

/** Adds the options that limit the requests of clients. */
function addLimitOptions(command: Command): void {
  command
    .option('--rate-limit <requests>', 'requests a second that one API key may make; 0 for any number', parseRate, 2000)
    .option('--rate-burst <requests>', 'how many of them at once (default: as many as in two seconds)', parseCount)
    .option('--max-requests <count>', 'requests worked on at a time; more are answered with 503', parseCount, 512)
    .option('--max-connections <count>', 'open connections; more are closed', parseCount, 10_000)
    .option(
      '--trusted-proxies <networks>',
      'whose X-Forwarded-For to believe, such as 10.0.0.0/8,127.0.0.1',
      parseNetworks,
    );
}

/** Adds the options that say where people reach the page and the gateway, and how long they stay signed in. */
function addPageOptions(command: Command): void {
  command
    .option(
      '--public-url <url>',
      'where browsers reach the service, such as https://rolecall.example.com; without it, people sign in only on loopback',
    )
    .option('--session-idle <duration>', "how long a person's session lives without a request, such as 30m", '1h')
    .option('--session-length <duration>', "how long a person's session lives in all, such as 12h", '24h')
    .addOption(
      new Option(
        '--gateway-address <address>',
        'where people are told to connect clients of PostgreSQL, such as gateway.example.com:6432 (default: the host of --public-url)',
      ).argParser(parseAddress),
    )
    .addOption(
      new Option(
        '--gateway-mysql-address <address>',
        'the same for clients of MySQL; and of MariaDB, if it has no address of its own',
      ).argParser(parseAddress),
    )
    .addOption(
      new Option('--gateway-mariadb-address <address>', 'the same for clients of MariaDB').argParser(parseAddress),
    );
}

/** Adds the options that say how people and pipelines sign in. */
function addSignInOptions(command: Command): void {
  command
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
    .option('--smtp-from <address>', 'the sender of these mails');
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
