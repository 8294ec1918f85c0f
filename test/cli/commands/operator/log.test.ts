import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../../../../cli/commands/operator/log.ts';

describe('the log of the operator', () => {
  const now = () => Date.UTC(2026, 10, 22, 9, 8, 7, 6);
  const about = { namespace: 'team-a', kind: 'Person', name: 'ada', operation: 'createPerson' };

  function logged(format: 'text' | 'json') {
    const lines = { stdout: '', stderr: '' };
    // Of the streams, only write is used.
    const stream = (to: keyof typeof lines) => ({ write: (text: string) => (lines[to] += text) }) as unknown;
    const io = { stdout: stream('stdout'), stderr: stream('stderr') } as Parameters<typeof createLog>[0];
    const log = createLog(io, format, now);
    log('info', 'team-a: Person/ada: create ada', about);
    log('warn', 'something fails');
    return lines;
  }

  it('says when, in text', () => {
    assert.deepEqual(logged('text'), {
      stdout: '2026-11-22T09:08:07.006Z team-a: Person/ada: create ada\n',
      stderr: '2026-11-22T09:08:07.006Z warning: something fails\n',
    });
  });

  it('says in JSON also what it is about, and leaves standard output to the document of the command', () => {
    const { stdout, stderr } = logged('json');
    const time = '2026-11-22T09:08:07.006Z';
    const lines = stderr.trimEnd().split('\n');
    assert.equal(stdout, '');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      [
        { info: { time, message: 'team-a: Person/ada: create ada', ...about } },
        { warning: { code: 'operator', time, message: 'something fails' } },
      ],
    );
  });
});
