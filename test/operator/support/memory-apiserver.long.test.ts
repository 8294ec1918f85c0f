import { after, before, describe } from 'node:test';
import { systemClock } from '../../../operator/runtime/clock.ts';
import { connectionOf } from '../../../operator/runtime/connection.ts';
import { HttpSession } from '../../../operator/runtime/session.ts';
import { requires } from '../../support/databases/parts.ts';
import { adminClient, installKinds } from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
import { keepsTheContract, type OpenApiserver } from './apiserver-contract.ts';

describe('a real kube-apiserver, and its double in memory', requires('kubernetes'), () => {
  let server: Apiserver;
  let opened: OpenApiserver;

  before(async () => {
    server = await startApiserver();
    const kube = adminClient(server);
    await installKinds(kube);
    const connection = await connectionOf(server.kubeconfig);
    opened = { kube, session: new HttpSession({ connection, clock: systemClock, userAgent: 'rolecall-test' }) };
  });
  after(async () => {
    await opened.session[Symbol.asyncDispose]();
    await opened.kube[Symbol.asyncDispose]();
    await server.stop();
  });
  keepsTheContract(() => opened);
});
