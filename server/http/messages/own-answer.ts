import type { FastifyReply } from 'fastify';

/** An answer that is no JSON, such as a redirect, a download or a stream of events: it sends itself. */
export class OwnAnswer {
  readonly send: (reply: FastifyReply) => void | Promise<void>;
  constructor(send: (reply: FastifyReply) => void | Promise<void>) {
    this.send = send;
  }
}
