import Fastify from 'fastify';
import { answerStatus } from './answer-status.ts';

/** The peer: Fastify routes that do nothing but answer with the same JSON. */
const person = {
  id: 'p7Kq2mXw4TzA',
  name: 'Ada Lovelace',
  username: 'ada',
  email: 'ada@example.com',
  createdAt: '2026-11-02T08:30:00.000Z',
  isLocked: false,
};

const app = Fastify();
let people = Buffer.from('[]');
app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) => {
  done(null, body);
});
app.get('/person/:person', () => person);
app.post('/person', () => person);
app.get('/person', (_request, reply) => reply.type('application/json').send(people));
app.put('/people', { bodyLimit: 64 * 1024 * 1024 }, (request) => {
  people = request.body as Buffer<ArrayBuffer>;
  return {};
});

answerStatus();
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
process.send?.(url);
