import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, type ProblemCode, problemBody, problemMediaType } from '@rolecall/api';
import { requestIdHeader } from './headers.ts';

const causes: Readonly<Record<string, [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the headers have more than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'the chunk extensions of the body are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
};

/** Node's own name for the answer that a socket is busy with. */
type BusySocket = Socket & { _httpMessage?: ServerResponse | null };

/**
 * Answers what Node's parser could not read as HTTP, for which there is no request and no reply yet.
 *
 * @returns the status of the answer; undefined where nobody is there to hear it
 */
export function answerClientError(error: { code?: string }, socket: BusySocket, requestId: string): number | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const [code, detail] = causes[error.code ?? ''] ?? ['malformed_request', 'the request is not HTTP/1.1'];
  const problem = problemBody(code, detail, { requestId });
  const before = socket._httpMessage;
  if (before?.req.complete === true) {
    // What cannot be read came behind a request that is fine, and has to wait for its answer.
    before.once('close', () => {
      answer(problem, socket, requestId);
    });
  } else if (before?.headersSent === true) socket.destroy();
  else answer(problem, socket, requestId);
  return problem.status;
}

function answer(problem: Problem, socket: Socket, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${reasons[problem.status] ?? 'Bad Request'}`,
      `content-type: ${problemMediaType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `${requestIdHeader}: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

const reasons: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  413: 'Content Too Large',
  431: 'Request Header Fields Too Large',
};
