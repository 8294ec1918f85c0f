import { describe } from 'node:test';
import { keepsTheContract } from './apiserver-contract.ts';
import { MemoryApiserver } from './memory-apiserver.ts';
import { MemoryConnection } from './memory-session.ts';

describe('the API server in memory', () => {
  const server = new MemoryApiserver();
  const opened = { kube: server.admin(), session: new MemoryConnection(server).session() };
  keepsTheContract(() => opened);
});
