import { decodeUtf8 } from './decode.ts';
import { readBytes, readProblem, standardInput } from './files.ts';
import { fileProblem, type Problem } from './problems.ts';
import { readStream } from './stream.ts';

export interface LoadOptions {
  /** What `-` among the paths stands for. Default: the standard input of the process. */
  readonly stdin?: AsyncIterable<Uint8Array | string>;
}

/** A file as it was read; the text is without the byte order mark that the bytes may have. */
export interface FileText {
  readonly text: string;
  readonly bytes: Buffer;
}

/** Reads a file, or standard input, as UTF-8. Never throws for what is wrong with it: that is the problem. */
export async function readText(file: string, options: LoadOptions = {}): Promise<FileText | { problem: Problem }> {
  try {
    const bytes = file === standardInput ? await readStream(options.stdin ?? process.stdin) : readBytes(file);
    const text = decodeUtf8(bytes);
    if (typeof text === 'string') return { text, bytes };
    const { message, line, column } = text;
    const problem = fileProblem('file_encoding', file, `the file ${message}`, 'Save the file as UTF-8.');
    return { problem: { ...problem, line, column } };
  } catch (error) {
    return { problem: readProblem(file, error) };
  }
}
