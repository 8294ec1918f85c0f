/** Bits of the capabilities that client and server agree on (MySQL's manual, "Capabilities Flags"). */
export const capability = {
  mysql: 1,
  foundRows: 1 << 1,
  longFlag: 1 << 2,
  connectWithDatabase: 1 << 3,
  noSchema: 1 << 4,
  compress: 1 << 5,
  odbc: 1 << 6,
  ignoreSpace: 1 << 8,
  protocol41: 1 << 9,
  interactive: 1 << 10,
  tls: 1 << 11,
  ignoreSigpipe: 1 << 12,
  transactions: 1 << 13,
  reserved: 1 << 14,
  secureConnection: 1 << 15,
  multiStatements: 1 << 16,
  multiResults: 1 << 17,
  preparedMultiResults: 1 << 18,
  pluginAuth: 1 << 19,
  connectAttributes: 1 << 20,
  pluginAuthLength: 1 << 21,
  sessionTrack: 1 << 23,
};

/** What a client asks for changes what its statements mean or what the server may answer, so the server is asked for the same. */
const passedOn =
  capability.foundRows |
  capability.noSchema |
  capability.odbc |
  capability.ignoreSpace |
  capability.interactive |
  capability.multiStatements |
  capability.multiResults |
  capability.preparedMultiResults |
  capability.sessionTrack;

/** What every session has: each client and each server of the last ten years knows it. */
const always =
  capability.mysql |
  capability.longFlag |
  capability.protocol41 |
  capability.transactions |
  capability.secureConnection |
  capability.pluginAuth |
  capability.pluginAuthLength |
  capability.connectAttributes;

/** Without these, a client cannot log in. */
export const required = capability.protocol41 | capability.secureConnection;

/**
 * What the greeting offers. Not offered is what changes how packets are framed and what only some servers have, since the
 * greeting goes out before the data source is known: compression, the short end of results, attributes of queries, MariaDB's
 * additions. Nor are files of the client. Session tracking is, as the server says in each packet whether it is there.
 */
export function offered(hasTls: boolean): number {
  const connect = capability.connectWithDatabase | capability.ignoreSigpipe | capability.reserved;
  return always | passedOn | connect | (hasTls ? capability.tls : 0);
}

/** What the server of the data source is asked for. */
export function wantedOfServer(ofClient: number, hasDatabase: boolean): number {
  return always | (ofClient & passedOn) | (hasDatabase ? capability.connectWithDatabase : 0);
}
