import { statSync } from 'node:fs';
import { decodeUtf8 } from './decode.ts';
import { FileTooLargeError, maxFileBytes, readBytes, readProblem, standardInput } from './files.ts';
import { readPipe } from './pipe.ts';
import { fileProblem, type Problem } from './problems.ts';

export interface LoadOptions {
  /** Input that `-` among the paths stands for. Default: the standard input of the process. */
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  /** Milliseconds to wait until a program opens a pipe for writing. Default: 30 seconds. */
  readonly pipeWaitMs?: number;
}

/** A file as it was read. The text lacks the byte order mark that the bytes may have. */
export interface FileText {
  readonly text: string;
  readonly bytes: Buffer;
}

/** Reads a file, or standard input, as UTF-8. Returns a problem if it cannot; never throws one. */
export async function readText(file: string, options: LoadOptions = {}): Promise<FileText | { problem: Problem }> {
  try {
    return decode(file, await readAll(file, options));
  } catch (error) {
    return { problem: readProblem(file, error) };
  }
}

/** The same of a regular file, without waiting. */
export function readFileText(file: string): FileText | { problem: Problem } {
  try {
    return decode(file, readBytes(file));
  } catch (error) {
    return { problem: readProblem(file, error) };
  }
}

function decode(file: string, bytes: Buffer): FileText | { problem: Problem } {
  const text = decodeUtf8(bytes);
  if (typeof text === 'string') return { text, bytes };
  const { message, remedy, line, column } = text;
  const problem = fileProblem('file_encoding', file, `the file ${message}`, remedy);
  return { problem: { ...problem, line, column } };
}

async function readAll(file: string, { stdin = process.stdin, pipeWaitMs }: LoadOptions): Promise<Buffer> {
  if (file === standardInput) return readStream(stdin);
  return statSync(file).isFIFO() ? readStream(readPipe(file, pipeWaitMs)) : readBytes(file);
}

/** Reads a stream to its end. Throws FileTooLargeError when it has more than 64 MiB. */
async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : Buffer.from(chunk);
    total += bytes.length;
    if (total > maxFileBytes) throw new FileTooLargeError();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
