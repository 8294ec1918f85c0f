import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { apiVersion, checkDocument, kindNames, kinds } from '@rolecall/crds';
import { requires } from '../support/databases/parts.ts';
import { type AdminClient, adminClient, installKinds, kindPath } from '../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../support/kubernetes/apiserver.ts';
import { replacedSpecs } from './bounds.ts';

describe('the bounds of the CustomResourceDefinitions, on a real API server', requires('kubernetes'), () => {
  let server: Apiserver;
  let client: AdminClient;

  before(async () => {
    server = await startApiserver();
    client = adminClient(server);
    await installKinds(client);
  });
  after(async () => {
    await client[Symbol.asyncDispose]();
    await server.stop();
  });

  for (const kind of kindNames) {
    it(`refuse of ${kind} what the operator would call invalid, and nothing else`, async () => {
      const place = `${kindPath(kinds[kind].plural)}?dryRun=All&fieldValidation=Strict`;
      const disagreements: string[] = [];
      const specs = replacedSpecs(kind);
      const work = async (): Promise<void> => {
        for (const { path, spec } of specs) {
          const document = { apiVersion, kind, metadata: { name: 'x', namespace: 'default' }, spec };
          const isValid = checkDocument(document).type === 'definition';
          const { status, body } = await client.call<{ message?: string }>('POST', place, document);
          if (isValid === (status === 201)) continue;
          const answer = isValid ? `refused (${body.message ?? ''})` : 'taken';
          disagreements.push(`${path} ${answer}: ${JSON.stringify(spec)}`.slice(0, 500));
        }
      };
      await Promise.all(Array.from({ length: 8 }, work));
      assert.deepEqual(disagreements, []);
    });
  }
});
