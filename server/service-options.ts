import type { Clock } from './clock.ts';
import type { StoreLocation } from './data/store-location.ts';
import type { GatewayDoor } from './gateway/index.ts';
import type { HttpOptions } from './http/start-http.ts';
import type { Environment } from './secrets/key-source.ts';
import type { MailOptions } from './sign-in/mailer.ts';
import type { OidcIssuer } from './sign-in/oidc/settings.ts';
import type { PasswordCost } from './sign-in/password-hash.ts';
import type { SessionLengths } from './sign-in/sessions.ts';
import type { TrustRule } from './tokens/rules.ts';

export interface ServiceOptions extends HttpOptions, StoreLocation {
  /** Where the variables ROLECALL_STORE_KEY… are looked for; default: the process's environment. */
  environment?: Environment;
  clock?: Clock;
  /** How long completed queries are kept, in seconds; 0 for ever. Default 86,400. */
  queryRetentionSeconds?: number;
  /** How long a database may work on one command of a query, in seconds; 0 for as long as it takes. Default 3600. */
  queryTimeoutSeconds?: number;
  /** How many bytes of rows, as JSON, one query may spool; 0 for any number. Default 10 GiB. */
  queryMaxBytes?: number;
  /** How many queries may run at a time; more wait for their turn. Default 32. */
  queryConcurrency?: number;
  /** Networks that data sources may not lead to, as in 10.0.0.0/8, besides those that are denied by default. */
  deniedNetworks?: readonly string[];
  /** Networks that data sources may lead to although a larger one is denied, or the default denies them: loopback. */
  allowedNetworks?: readonly string[];
  /** Folders that SQLite data sources have to be in. Default: there can be none. */
  sqliteFolders?: readonly string[] | undefined;
  /**
   * How long a replica may be silent before the queries that it runs count as abandoned and are completed as failed, in
   * seconds. Default 20.
   */
  queryLeaseSeconds?: number;
  /** Whether the audit trail has the texts of the statements that `execute` runs, or only digests. Default: text. */
  auditStatements?: 'text' | 'digest';
  /** Where entries of the audit trail are sent: file:/path, syslog://host:port, https://host/path. Default: nowhere. */
  auditSinks?: readonly string[] | undefined;
  /** The file with the Authorization header for an HTTPS sink; default: ROLECALL_AUDIT_SINK_AUTHORIZATION. */
  auditSinkAuthorizationFile?: string | undefined;
  /** Which tokens of pipelines are exchanged for which API keys; default: none. */
  trust?: readonly TrustRule[] | undefined;
  /** The OpenID providers with which people sign in; default: none. */
  oidc?: readonly OidcIssuer[] | undefined;
  /**
   * The address under which browsers reach the service, as in https://rolecall.example.com. Default: its own, if that is on
   * loopback; otherwise people cannot sign in.
   */
  publicUrl?: string | undefined;
  /** How long people's sessions live, in seconds. Default: one hour without a request, 24 hours in all. */
  sessionLengths?: SessionLengths;
  /** Whether everyone who signs in with a password has to have a second factor. Default false. */
  requireTwoFactor?: boolean | undefined;
  /** What the hash of a password costs. Default: as OWASP recommends, and tests alone take less. */
  passwordCost?: PasswordCost;
  /** The name of the role whose members are administrators of the workspace; default: there are none. */
  adminRole?: string | undefined;
  /** Where clients of PostgreSQL come in; default: nowhere. Beyond loopback it needs `tls`. */
  gatewayPostgresql?: { host: string; port: number };
  /** The same for clients of MySQL, and of MariaDB where no port of its own is given. */
  gatewayMysql?: { host: string; port: number };
  /** The same for clients of MariaDB. */
  gatewayMariadb?: { host: string; port: number };
  /**
   * Where people are told to connect clients of PostgreSQL; its host also counts for products without an address here. Default:
   * where this process takes them.
   */
  gatewayAddress?: { host: string; port: number } | undefined;
  /** The same for clients of MySQL, and of MariaDB where it has no address of its own. */
  gatewayMysqlAddress?: { host: string; port: number } | undefined;
  /** The same for clients of MariaDB. */
  gatewayMariadbAddress?: { host: string; port: number } | undefined;
  /** How often the gateway looks for sessions to tell that their access ends soon, in milliseconds. Default 30,000. */
  gatewayEndsSoonEveryMs?: number;
  /** How invitations are mailed; default: they are not. */
  mail?: MailOptions | undefined;
  /** Holds each answer to its schema and fails the request otherwise; for tests. */
  checkAnswers?: boolean;
}

export interface Service {
  /** Without a path, as in http://127.0.0.1:8080. */
  readonly url: string;
  /** Where metrics are read without a key; undefined without a listener for it. */
  readonly metricsUrl: string | undefined;
  /** The ports where people's own clients come in. */
  readonly gatewayPorts: Readonly<Partial<Record<GatewayDoor, number>>>;
  /** Looks at the files of the certificate now, not only every few seconds; nothing without TLS. */
  reloadTls(): Promise<void>;
  /**
   * Takes no more connections, finishes the requests that run, cancels the queries that run, closes the store. May be
   * called again.
   *
   * @param graceMs how long open connections without a request are kept, in milliseconds: a request may be on its way;
   *   default 0
   * @param drainMs how long before that everything is still taken and answered, while the service says that it is not
   *   ready, so that load balancers turn away; default 0
   */
  close(graceMs?: number, drainMs?: number): Promise<void>;
}

/** The options of a gateway in a process of its own: those that mean the same for the service. */
export interface GatewayOptions
  extends Pick<
    ServiceOptions,
    | 'allowedNetworks'
    | 'auditStatements'
    | 'clock'
    | 'deniedNetworks'
    | 'environment'
    | 'gatewayMariadb'
    | 'gatewayMysql'
    | 'gatewayPostgresql'
    | 'logger'
    | 'tls'
  > {
  /** The store in PostgreSQL: one in a folder belongs to the process that serves it. */
  databaseUrl: string;
  /** Where /metrics, /healthz and /readyz are; default: nowhere. */
  metricsListener?: { host: string; port: number };
}

/** A gateway in a process without the APIs. */
export interface GatewayProcess {
  /** The ports where people's own clients come in. */
  readonly gatewayPorts: Service['gatewayPorts'];
  /** Where /metrics, /healthz and /readyz are, without a path; undefined without a listener for them. */
  readonly statusUrl: string | undefined;
  /** Looks at the files of the certificate now; nothing without TLS. */
  readonly reloadTls: () => Promise<void>;
  /**
   * Takes no more connections, ends sessions as they come to rest, and the others after the grace period. May be called again.
   *
   * @param graceMs in milliseconds; default 0
   */
  readonly close: (graceMs?: number) => Promise<void>;
}
