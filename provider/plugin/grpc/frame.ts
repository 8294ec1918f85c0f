/** The status codes of gRPC that this server answers with (https://grpc.io/docs/guides/status-codes). */
export const grpcStatus = { ok: 0, invalidArgument: 3, unimplemented: 12, internal: 13 } as const;
export type GrpcStatus = (typeof grpcStatus)[keyof typeof grpcStatus];

/** Ends a call with a status; Terraform shows such an error without the resource's address, so it is a last resort. */
export class GrpcError extends Error {
  override name = 'GrpcError';
  readonly code = 'ERR_GRPC';
  readonly status: GrpcStatus;
  constructor(status: GrpcStatus, message: string) {
    super(message);
    this.status = status;
  }
}

/** The largest message that is read, in bytes; Terraform itself sends far less. */
export const maxMessage = 256 * 1024 * 1024;

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
export function unframe(chunks: readonly Buffer[]): Buffer {
  const data = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  if (data.length < 5) throw new GrpcError(grpcStatus.invalidArgument, 'the request ends before its message');
  if (data.readUInt8(0) !== 0) throw new GrpcError(grpcStatus.unimplemented, 'compressed messages are not taken');
  const length = data.readUInt32BE(1);
  if (data.length !== 5 + length) throw new GrpcError(grpcStatus.invalidArgument, 'the request is not one message');
  return data.subarray(5);
}
