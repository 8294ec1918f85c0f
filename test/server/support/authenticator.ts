import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A passkey in software, which answers as a browser's `PublicKeyCredential.toJSON()`. */
export class Authenticator {
  readonly #id = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** The address of the page that asks it. */
  origin: string;
  /** The name that its signatures are for. */
  name: string;
  /** Of signatures; the service refuses one that does not grow. */
  counter = 0;
  /** Whether it says that the person unlocked it. */
  verifiesUser = true;
  /** What the browser says about the frame of the page. */
  frame: { crossOrigin?: unknown; topOrigin?: string } = { crossOrigin: false };

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
    this.origin = origin;
    this.name = new URL(origin).hostname;
  }

  create({ challenge }: { challenge?: unknown }) {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    // COSE_Key: EC2, ES256, P-256.
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, key]);
    const data = Buffer.concat([this.#data(0x40), credential]);
    // {"fmt": "none", "attStmt": {}, "authData": bytes}
    const head = Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex');
    const attestation = Buffer.concat([head, Buffer.from([0x58, data.length]), data]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      },
    };
  }

  get({ challenge }: { challenge?: unknown }) {
    this.counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge);
    const data = this.#data(0);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
      },
    };
  }

  #credential() {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key' };
  }

  #clientData(type: string, challenge: unknown): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, ...this.frame }));
  }

  #data(flags: number): Buffer {
    const rpId = createHash('sha256').update(this.name).digest();
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    return Buffer.concat([rpId, Buffer.from([flags | 0x01 | (this.verifiesUser ? 0x04 : 0)]), count]);
  }
}
