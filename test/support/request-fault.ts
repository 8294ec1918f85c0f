/** What becomes of one request in front of a server. */
export type RequestFault =
  /** Answered by the proxy. */
  | { readonly answer: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** Passed on so much later. */
  | { readonly delayMs: number }
  /** Not passed on; the connection is cut. */
  | 'cut'
  /** Passed on; the connection is cut instead of the answer. */
  | 'lost answer'
  /** Neither passed on nor answered. */
  | 'no answer'
  /** Passed on, and never answered. */
  | 'kept answer';

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
}

/** Whether a request may change something. */
export const isWrite = ({ method, path }: ProxiedRequest): boolean =>
  method !== 'GET' && method !== 'HEAD' && !path.startsWith('/api/v2/snapshot');
