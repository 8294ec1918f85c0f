import { FatalError } from '../../protocols/fatal-error.ts';
import { fullPacket, headerLength } from '../../protocols/mysql/framing.ts';
import { decide, type Local, longestStatement, neededOf, wantedOf } from './commands.ts';
import { type ServerId, translateKilled } from './killed-ids.ts';

/** The longest command that is not passed on, in bytes: to change the user takes some hundred. */
const longestLocal = 16 * 1024;
const nothing = Buffer.alloc(0);
/** Memory that a part takes besides its bytes: a client may send one byte at a time. */
const partBytes = 256;

/** Parts of a client's bytes, by what is to be done with them. */
export interface Taken {
  /** Bytes that go to the server. */
  readonly pass: Buffer;
  /** A command that the gateway answers itself, what follows its number, and the sequence number of the answer. */
  readonly local?: { readonly command: Local; readonly body: Buffer; readonly sequence: number };
  /** Bytes that came after that command, and were not looked at. */
  readonly rest: Buffer;
}

/** Gets a command that has come to its end: its number, and of what follows it as much as is read. */
export type OnCommand = (code: number, body: Buffer, sequence: number) => void;

/** Functions that the reader calls about the commands. */
interface Reading {
  readonly onCommand: OnCommand;
  /** Is told how many bytes more or fewer are held of a command that arrives; may throw. */
  readonly hold: (bytes: number) => void;
  readonly serverId: ServerId;
  /** True if the prepared statement that a command runs stops the session of its parameter. */
  readonly killsByParameter: (body: Buffer) => boolean;
}

/**
 * Splits what a client sends into commands, and holds back only those that may be for the gateway itself, or stop a session. All
 * others are to be passed on as they come.
 */
export class CommandReader {
  readonly #reading: Reading;
  /** Bytes of memory that the parts are taken to have. */
  #held = 0;
  /** The beginning of a packet that is too short to decide on, or of a command that is not passed on. */
  #kept: Buffer = nothing;
  #code = 0;
  #parts: Buffer[] = [];
  #have = 0;
  /** Bytes of the packet that are still to come. */
  #left = 0;
  #sequence = 0;
  #isContinued = false;
  #expectsProof = false;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** The next packet is no command, but the client's answer to the request for a proof. */
  expectProof(): void {
    this.#expectsProof = true;
  }

  /**
   * Takes the next bytes, up to a command for the gateway itself. Copies what it keeps of them, and writes the server's ids of
   * sessions that are to be stopped into them.
   *
   * @throws FatalError
   */
  take(given: Buffer): Taken {
    const chunk = this.#kept.length === 0 ? given : Buffer.concat([this.#kept, given]);
    this.#kept = nothing;
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        at += this.#continue(chunk, at);
        continue;
      }
      const start = this.#isContinued ? headerLength : startOf(chunk, at);
      if (chunk.length - at < start) {
        this.#kept = Buffer.from(chunk.subarray(at));
        break;
      }
      if (!this.#isContinued) {
        const code = chunk[at + headerLength] ?? 0;
        const command = this.#decide(code, chunk.subarray(at + headerLength + 1, at + start));
        if (command !== undefined) {
          const length = chunk.readUIntLE(at, 3);
          if (length > longestLocal) throw new FatalError('08P01', longRefused);
          const next = at + headerLength + length;
          if (chunk.length < next) {
            this.#kept = Buffer.from(chunk.subarray(at));
            break;
          }
          this.#expectsProof = false;
          const sequence = ((chunk[at + 3] ?? 0) + 1) & 0xff;
          const body = Buffer.from(chunk.subarray(at + headerLength + (command.kind === 'proof' ? 0 : 1), next));
          const rest = Buffer.from(chunk.subarray(next));
          return { pass: chunk.subarray(0, at), local: { command, body, sequence }, rest };
        }
        this.#code = code;
      }
      at += this.#begin(chunk, at);
    }
    return { pass: chunk.subarray(0, chunk.length - this.#kept.length), rest: nothing };
  }

  #decide(code: number, body: Buffer): Local | undefined {
    if (this.#expectsProof) return { kind: 'proof' };
    const { serverId, killsByParameter } = this.#reading;
    const local = decide(code, body, (id) => serverId(id) !== undefined);
    if (local === undefined) translateKilled(code, body, serverId, killsByParameter);
    return local;
  }

  #begin(chunk: Buffer, at: number): number {
    this.#left = chunk.readUIntLE(at, 3);
    this.#sequence = chunk[at + 3] ?? 0;
    const isLast = this.#left < fullPacket;
    this.#isContinued = !isLast;
    if (this.#left === 0) this.#end();
    return headerLength;
  }

  #continue(chunk: Buffer, at: number): number {
    const part = chunk.subarray(at, at + this.#left);
    this.#left -= part.length;
    const wanted = 1 + wantedOf(this.#code);
    const isLast = this.#left === 0 && !this.#isContinued;
    if (this.#have < wanted) this.#keep(isLast ? part : Buffer.from(part));
    this.#have += part.length;
    if (wanted > longestStatement && this.#have > wanted) {
      const most = longestStatement / 1024 / 1024;
      throw new FatalError('54000', `a statement is longer than ${most} MiB: send it in parts`);
    }
    if (isLast) this.#end();
    return part.length;
  }

  #keep(part: Buffer): void {
    const bytes = part.length + partBytes;
    this.#reading.hold(bytes);
    this.#held += bytes;
    this.#parts.push(part);
  }

  #end(): void {
    this.#reading.hold(-this.#held);
    this.#held = 0;
    const [first = nothing] = this.#parts;
    const body = this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#have = 0;
    this.#reading.onCommand(this.#code, body.subarray(1), (this.#sequence + 1) & 0xff);
  }
}

const longRefused = 'the client sent a long command that is refused or unknown';

/** Returns the bytes of the packet that have to be there to decide on the command that it begins. @throws FatalError */
function startOf(chunk: Buffer, at: number): number {
  if (chunk.length - at < headerLength) return headerLength;
  const length = chunk.readUIntLE(at, 3);
  if (length === 0) throw new FatalError('08P01', 'the client sent a packet without a command');
  const code = chunk[at + headerLength];
  return headerLength + 1 + (code === undefined ? 0 : neededOf(code, length - 1));
}
