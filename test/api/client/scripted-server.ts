import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ProblemCode, problemBody } from '@rolecall/api';
import { listenOn } from '../../support/relay.ts';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers one request: by a response, by cutting the connection, or not at all. */
export type Act = (response: ServerResponse, request: IncomingMessage) => void;

export interface ScriptedServer extends AsyncDisposable {
  url: string;
  port: number;
  received: Received[];
  /** How many connections were opened. */
  connections: () => number;
}

/** An HTTP server that answers the nth request with the nth act, and the last act from then on. */
export async function scriptedServer(...acts: [Act, ...Act[]]): Promise<ScriptedServer> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body });
      acts[Math.min(received.length, acts.length) - 1]!(response, request);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Act {
  return raw(status, { 'content-type': 'application/vnd.service.v2+json', ...headers }, JSON.stringify(value));
}

export function problem(code: ProblemCode, headers: Record<string, string> = {}, detail = 'it is so'): Act {
  const body = problemBody(code, detail);
  return json(body, body.status, { 'content-type': 'application/problem+json', ...headers });
}

/** A problem that the registry does not have, as a newer service may send it. */
export function otherProblem(status: number, code: string, headers: Record<string, string> = {}): Act {
  const body = { type: `urn:rolecall:problem:${code}`, title: 'Another title', status, code, detail: 'it is so' };
  return json(body, status, { 'content-type': 'application/problem+json', ...headers });
}

export function raw(status: number, headers: Record<string, string>, body: string | Buffer): Act {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Closes the connection without an answer. */
export const cut: Act = (_, request) => {
  request.socket.destroy();
};

/** Promises more than it sends, then closes the connection. */
export const cutInBody: Act = (response, request) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('[{"id":', () => {
    request.socket.destroy();
  });
};

export const silent: Act = () => undefined;
