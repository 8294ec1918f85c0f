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

/** Sockets that already have an answer pending: each later chunk raises another error. */
const failed = new WeakSet<Socket>();

/** Request id and headers, which each answer carries beside its problem. */
interface Answering {
  readonly requestId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers input that Node's parser could not read as HTTP, before there is a request or a reply.
 *
 * @returns the status of the answer; undefined if the client is gone
 */
export function answerClientError(error: { code?: string }, socket: BusySocket, more: Answering): number | undefined {
  // Ending a TLS socket during its handshake would wait for a handshake that may never finish.
  const isUnfinished = socket instanceof TLSSocket && socket.getPeerFinished() === undefined;
  if (error.code === 'ECONNRESET' || isUnfinished || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  if (failed.has(socket)) return undefined;
  failed.add(socket);
  const [code, detail] = causes[error.code ?? ''] ?? ['malformed_request', 'the request is not HTTP/1.1'];
  const problem = problemBody(code, detail, { requestId: more.requestId });
  answerInTurn(problem, socket, more);
  return problem.status;
}

function answerInTurn(problem: Problem, socket: BusySocket, more: Answering): void {
  const answerUnderWay = socket._httpMessage;
  if (answerUnderWay?.req.complete === true) {
    // The unreadable input follows valid requests: their answers go first.
    answerUnderWay.once('close', () => {
      answerInTurn(problem, socket, more);
    });
  } else if (answerUnderWay?.headersSent === true) socket.destroy();
  else answer(problem, socket, more);
}

function answer(problem: Problem, socket: Socket, { requestId, headers }: Answering): void {
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
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
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
