import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StateServer {
  /** Where one configuration keeps its state: the arguments of `backend "http"`. */
  address: (name: string) => string;
  close: () => void;
}

/**
 * Keeps states in memory, as Terraform's HTTP backend asks for it (https://developer.hashicorp.com/terraform/language/backend/http).
 * Terraform writes the whole of a local state file after every object, which would hide what a provider costs.
 */
export async function startStateServer(): Promise<StateServer> {
  const states = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const name = request.url ?? '/';
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'POST') states.set(name, Buffer.concat(chunks));
      const state = request.method === 'GET' ? states.get(name) : Buffer.of();
      response.writeHead(state === undefined ? 404 : 200).end(state);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    address: (name) => `http://127.0.0.1:${port}/${name}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
