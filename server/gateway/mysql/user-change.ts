import { FatalError } from '../../protocols/fatal-error.ts';
import { okPacket } from '../../protocols/mysql/answers.ts';
import {
  findProven,
  type HashVerifier,
  isPlugin,
  newNonce,
  type PluginName,
  pluginOf,
} from '../../protocols/mysql/proofs.ts';
import { authSwitch, enough, readUserChange } from '../../protocols/mysql/startup.ts';

/** Log-in of a session, and a way to begin it anew. */
interface LoggedIn {
  /** As the client has written it. */
  readonly username: string;
  /** As the client has written it; empty if it named none. */
  readonly database: string;
  readonly password: HashVerifier;
  /** Gives the session a new connection to the database. @param charset the number of a collation @throws FatalError */
  readonly renew: (charset: number | undefined) => Promise<void>;
}

/**
 * Answers COM_CHANGE_USER for the user that the session has anyway: pools send it between two uses of a connection, so that
 * nothing is left of the first. The session gets a new connection to the database, because the database knows no user of the gateway.
 */
export class UserChange {
  readonly #of: LoggedIn;
  readonly #nonce = newNonce();
  #plugin: PluginName = 'mysql_native_password';
  #charset: number | undefined;

  constructor(of: LoggedIn) {
    this.#of = of;
  }

  /** Asks for the password, as servers do whatever the client has sent. @returns undefined for another user or database */
  begin(body: Buffer, sequence: number): Buffer | undefined {
    const { username, database, plugin: asked, charset } = readUserChange(body);
    // Older clients name none, and servers take that for the oldest.
    const plugin = asked === '' ? 'mysql_native_password' : asked;
    if (username !== this.#of.username || ![this.#of.database, ''].includes(database) || !isPlugin(plugin)) {
      return undefined;
    }
    this.#plugin = plugin;
    this.#charset = charset;
    return authSwitch.encode(sequence, this.#nonce, plugin);
  }

  /** Takes the proof. @returns what lets the client in again @throws FatalError */
  async finish(proof: Buffer, sequence: number): Promise<Buffer> {
    if (findProven(this.#plugin, proof, this.#nonce, [this.#of.password]) === undefined) {
      throw new FatalError('28P01', 'the password is not the one of this session');
    }
    await this.#of.renew(this.#charset);
    if (!pluginOf(this.#plugin).saysEnough) return okPacket.encode(sequence);
    return Buffer.concat([enough.encode(sequence), okPacket.encode((sequence + 1) & 0xff)]);
  }
}
