import { GrpcError, grpcStatus } from './status.ts';

/** The largest message that is read; Terraform itself sends far less. */
const maxMessage = 256 * 1024 * 1024;

/** A message with gRPC's prefix: a flag for compression, and its length (gRPC over HTTP/2, Length-Prefixed-Message). */
export function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(5 + message.length);
  framed.writeUInt8(0, 0);
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, 5);
  return framed;
}

/**
 * Takes the one message of a unary request out of its frame.
 *
 * @throws GrpcError when it is cut, compressed or followed by something
 */
export function unframe(data: Buffer): Buffer {
  if (data.length < 5) throw new GrpcError(grpcStatus.invalidArgument, 'the request ends before its message');
  if (data.readUInt8(0) !== 0) throw new GrpcError(grpcStatus.unimplemented, 'compressed messages are not taken');
  const length = data.readUInt32BE(1);
  if (data.length !== 5 + length) throw new GrpcError(grpcStatus.invalidArgument, 'the request is not one message');
  return data.subarray(5);
}

/** Gathers the body of a request, up to the largest message. */
export async function gather(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxMessage) throw new GrpcError(grpcStatus.resourceExhausted, 'the request is larger than 256 MiB');
    parts.push(chunk);
  }
  return Buffer.concat(parts, size);
}
