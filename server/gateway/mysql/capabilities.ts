import { capability } from '../../protocols/mysql/capabilities.ts';

/** Capabilities that change what statements mean or what the server may answer, so the server is asked for the same. */
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

/** Capabilities of every session: each client and each server of the last ten years knows them. */
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
 * Returns the capabilities that the greeting offers. It leaves out all that changes how packets are framed and what only some
 * servers have, since it goes out before the data source is known: compression, the short end of results, attributes of queries,
 * MariaDB's additions. It leaves out files of the client, too. Session tracking is offered, as the server says in each packet
 * whether it is there.
 */
export function offered(hasTls: boolean): number {
  const connect = capability.connectWithDatabase | capability.ignoreSigpipe | capability.reserved;
  return always | passedOn | connect | (hasTls ? capability.tls : 0);
}

/** Returns the capabilities that the server of the data source is asked for. */
export function wantedOfServer(ofClient: number, hasDatabase: boolean): number {
  return always | (ofClient & passedOn) | (hasDatabase ? capability.connectWithDatabase : 0);
}
