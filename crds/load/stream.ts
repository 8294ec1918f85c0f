import { FileTooLargeError, maxFileBytes } from './files.ts';

/** Reads a stream to its end. Throws FileTooLargeError when it has more than 64 MiB. */
export async function readStream(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
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
