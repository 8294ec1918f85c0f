import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Figures } from '../../../server/gateway/figures.ts';

it('the figures of the gateway count refusals, ends and bytes, of sessions that are open and over', () => {
  const figures = new Figures();
  const session = (received: number, sent: number) => {
    return { protocol: 'postgresql', traffic: () => ({ received, sent }) } as const;
  };
  figures.refused('postgresql', '28P01');
  figures.refused('postgresql', '28P01');
  figures.refused('mysql', '08006');
  figures.ended(session(10, 100), 'access');
  const of = (name: 'sessions' | 'refused' | 'ended' | 'bytes', ...labels: string[]) =>
    figures
      .read([session(1, 2), session(3, 4)])
      [name].find((one) => Object.values(one.labels ?? {}).join() === labels.join())?.value;
  assert.equal(of('sessions', 'postgresql'), 2);
  assert.equal(of('refused', 'postgresql', 'password'), 2);
  assert.equal(of('refused', 'mysql', 'database'), 1);
  assert.equal(of('refused', 'postgresql', 'store'), 0, 'a series is there before its first event');
  assert.equal(of('ended', 'postgresql', 'access'), 1);
  assert.equal(of('bytes', 'postgresql', 'received'), 14);
  assert.equal(of('bytes', 'postgresql', 'sent'), 106);
});
