/** The status codes of gRPC that this server answers with (https://grpc.io/docs/guides/status-codes). */
export const grpcStatus = { ok: 0, invalidArgument: 3, unimplemented: 12, internal: 13 } as const;
export type GrpcStatus = (typeof grpcStatus)[keyof typeof grpcStatus];

/** Ends a call with a status; Terraform shows such an error without the resource's address, so it is a last resort. */
export class GrpcError extends Error {
  override name = 'GrpcError';
  readonly code = 'ERR_GRPC';
  readonly status: GrpcStatus;
  constructor(status: GrpcStatus, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
