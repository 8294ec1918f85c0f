import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Problem, type ProblemCode, problemBody, problemMediaType } from '@rolecall/api';
import { requestIdHeader } from './send-answer.ts';

const causes: Readonly<Record<string, [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the headers have more than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'the chunk extensions of the body are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
};

/** Node's own name for the answer that a socket is busy with. */
type BusySocket = Socket & { _httpMessage?: ServerResponse | null };

/** Sockets that an answer waits for already: each later chunk is an error of its own. */
const failed = new WeakSet<Socket>();

/**
 * Answers what Node's parser could not read as HTTP, for which there is no request and no reply yet.
 *
 * @returns the status of the answer; undefined where nobody is there to hear it
 */
export function answerClientError(error: { code?: string }, socket: BusySocket, requestId: string): number | undefined {
  // To end a TLS socket whose handshake is unfinished waits for a handshake that may never come.
  const isUnfinished = socket instanceof TLSSocket && socket.getPeerFinished() === undefined;
  if (error.code === 'ECONNRESET' || isUnfinished || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  if (failed.has(socket)) return undefined;
  failed.add(socket);
  const [code, detail] = causes[error.code ?? ''] ?? ['malformed_request', 'the request is not HTTP/1.1'];
  const problem = problemBody(code, detail, { requestId });
  answerInTurn(problem, socket, requestId);
  return problem.status;
}

function answerInTurn(problem: Problem, socket: BusySocket, requestId: string): void {
  const before = socket._httpMessage;
  if (before?.req.complete === true) {
    // What cannot be read came behind requests that are fine, and has to wait for the answer to each of them.
    before.once('close', () => {
      answerInTurn(problem, socket, requestId);
    });
  } else if (before?.headersSent === true) socket.destroy();
  else answer(problem, socket, requestId);
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
