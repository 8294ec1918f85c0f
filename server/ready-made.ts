/** An answer that is JSON already. */
export class ReadyMade {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}
