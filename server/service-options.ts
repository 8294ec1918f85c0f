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
  /** Environment with the variables ROLECALL_STORE_KEY…; default: the process's environment. */
  environment?: Environment;
  clock?: Clock;
  /** Seconds for which completed queries are kept; 0 for ever. Default 86,400. */
  queryRetentionSeconds?: number;
  /** Seconds that a database may work on a command of a query; 0 for as long as it takes. Default 3600. */
  queryTimeoutSeconds?: number;
  /** Bytes of rows, as JSON, that a query may spool; 0 for any number. Default 10 GiB. */
  queryMaxBytes?: number;
  /** Queries that may run at a time; more wait for their turn. Default 32. */
  queryConcurrency?: number;
  /** Networks that data sources may not lead to, as in 10.0.0.0/8, besides those that are denied by default. */
  deniedNetworks?: readonly string[];
  /** Networks that data sources may lead to although a larger one is denied, or the default denies them: loopback. */
  allowedNetworks?: readonly string[];
  /** Folders that SQLite data sources have to be in. Default: there can be none. */
  sqliteFolders?: readonly string[] | undefined;
  /**
   * Seconds that a replica may be silent before the queries that it runs count as abandoned and are completed as
   * failed. Default 20.
   */
  queryLeaseSeconds?: number;
  /** Form of the statements that `execute` runs in the audit trail: their texts, or only digests. Default: text. */
  auditStatements?: 'text' | 'digest';
  /** Receivers of audit entries: file:/path, syslog://host:port, https://host/path. Default: nowhere. */
  auditSinks?: readonly string[] | undefined;
  /** The file with the Authorization header for an HTTPS sink; default: ROLECALL_AUDIT_SINK_AUTHORIZATION. */
  auditSinkAuthorizationFile?: string | undefined;
  /** Rules by which tokens of pipelines are exchanged for API keys; default: none. */
  trust?: readonly TrustRule[] | undefined;
  /** The OpenID providers with which people sign in; default: none. */
  oidc?: readonly OidcIssuer[] | undefined;
  /**
   * The address under which browsers reach the service, as in https://rolecall.example.com. Default: its own, if that is on
   * loopback; otherwise people cannot sign in.
   */
  publicUrl?: string | undefined;
  /** Seconds that people's sessions live. Default: one hour without a request, 24 hours in all. */
  sessionLengths?: SessionLengths;
  /** Requires a second factor of everyone who signs in with a password. Default false. */
  requireTwoFactor?: boolean | undefined;
  /** Cost of the hash of a password. Default: as OWASP recommends, and tests alone take less. */
  passwordCost?: PasswordCost;
  /** The name of the role whose members are administrators of the workspace; default: there are none. */
  adminRole?: string | undefined;
  /** Address for clients of PostgreSQL; default: none. Beyond loopback it needs `tls`. */
  gatewayPostgresql?: { host: string; port: number };
  /** The same for clients of MySQL, and of MariaDB where no port of its own is given. */
  gatewayMysql?: { host: string; port: number };
  /** The same for clients of MariaDB. */
  gatewayMariadb?: { host: string; port: number };
  /**
   * Address that people are told for clients of PostgreSQL; its host also counts for products without an address here.
   * Default: where this process takes them.
   */
  gatewayAddress?: { host: string; port: number } | undefined;
  /** The same for clients of MySQL, and of MariaDB where it has no address of its own. */
  gatewayMysqlAddress?: { host: string; port: number } | undefined;
  /** The same for clients of MariaDB. */
  gatewayMariadbAddress?: { host: string; port: number } | undefined;
  /** Milliseconds after which the gateway looks again for sessions to tell that their access ends soon. Default 30,000. */
  gatewayEndsSoonEveryMs?: number;
  /** Mail server for invitations; default: they are not mailed. */
  mail?: MailOptions | undefined;
  /** Holds each answer to its schema and fails the request otherwise; for tests. */
  checkAnswers?: boolean;
}

export interface Service {
  /** Without a path, as in http://127.0.0.1:8080. */
  readonly url: string;
  /** Address at which metrics are read without a key; undefined without a listener for it. */
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
  /** Address of /metrics, /healthz and /readyz; default: none. */
  metricsListener?: { host: string; port: number };
}

/** A gateway in a process without the APIs. */
export interface GatewayProcess {
  /** The ports where people's own clients come in. */
  readonly gatewayPorts: Service['gatewayPorts'];
  /** Address of /metrics, /healthz and /readyz, without a path; undefined without a listener for them. */
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
