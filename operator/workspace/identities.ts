/** The operator's own identities: which services it sends its tokens to, and for which namespaces. */

import {
  type ClientOptions,
  ExchangedKeySource,
  isPlaintextRemote,
  OptionsError,
  parseBaseUrl,
  readIdToken,
} from '@rolecall/api';

/** The operator's token for one service. Those who run the operator say which: a Workspace is chosen by the editors of its namespace. */
export interface OperatorIdentity {
  /** The only service that the token is sent to. */
  readonly url: string;
  /** The audience that the token must have; default: the url. */
  readonly audience?: string | undefined;
  /** The file in which the cluster keeps the token; it is read again for each exchange. */
  readonly tokenFile: string;
  /** The namespaces whose Workspaces may use it. */
  readonly namespaces: readonly string[];
}

/** The identity that a Workspace connects with in place of a Secret. */
export interface FoundIdentity {
  /** As those who run the operator wrote it, and not as the Workspace did. */
  readonly url: string;
  readonly keys: ExchangedKeySource;
}

export class Identities {
  /** By namespace and service. */
  readonly #byPlace = new Map<string, FoundIdentity>();

  /**
   * @param options of the clients that exchange the tokens
   * @throws OptionsError that names what is wrong with an identity
   */
  constructor(identities: readonly OperatorIdentity[], options: Omit<ClientOptions, 'url' | 'keyId' | 'keySecret'>) {
    for (const { url, audience = url, tokenFile, namespaces } of identities) {
      if (isPlaintextRemote(url)) throw new OptionsError(`url ${url} is plain HTTP to another machine: use https`);
      if (!tokenFile.startsWith('/')) throw new OptionsError(`token-file ${tokenFile} must be an absolute path`);
      if (namespaces.length === 0) throw new OptionsError('namespace is missing: name each that may use it');
      // Workspaces of several namespaces share the key: a token works once.
      const source = { from: 'file', name: 'the identity', file: tokenFile } as const;
      const keys = new ExchangedKeySource({ ...options, url }, () => readIdToken(source, audience));
      for (const namespace of namespaces) {
        if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
          throw new OptionsError(`namespace ${namespace} must be the name of a namespace`);
        const place = placeOf(namespace, url);
        if (this.#byPlace.has(place)) throw new OptionsError(`namespace ${namespace} has two identities for ${url}`);
        this.#byPlace.set(place, { url, keys });
      }
    }
  }

  get size(): number {
    return this.#byPlace.size;
  }

  /** The identity of the Workspaces of a namespace at a service, if they may use one. @throws OptionsError for a URL that is not valid */
  find(namespace: string, url: string): FoundIdentity | undefined {
    return this.#byPlace.get(placeOf(namespace, url));
  }
}

/** @throws OptionsError that names what is wrong with an identity */
export function checkIdentities(identities: readonly OperatorIdentity[]): void {
  new Identities(identities, {});
}

/** The same for all spellings of one service, and for no other: a dot after the host's name may lead elsewhere. @throws OptionsError */
function placeOf(namespace: string, url: string): string {
  const { origin, prefix } = parseBaseUrl(url);
  return `${namespace} ${origin}${prefix}`;
}
