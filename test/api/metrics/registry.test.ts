import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRegistry } from '@rolecall/api/metrics';

const table = {
  things_total: { type: 'counter', help: 'Things.', labels: ['kind'] },
  wait_seconds: { type: 'histogram', help: 'Waiting.', labels: ['who'], buckets: [0.1, 1] },
  bare_seconds: { type: 'histogram', help: 'Bare.', labels: [], buckets: [1] },
  now: { type: 'gauge', help: 'Now.', labels: ['name'] },
} as const;

describe('a page of metrics', () => {
  it('is text format 0.0.4, with buckets that add up', () => {
    const registry = createRegistry(table);
    registry.counter('things_total', { kind: 'a' }).add();
    registry.counter('things_total', { kind: 'a' }).add(2);
    registry.counter('things_total', { kind: 'b' });
    for (const value of [0.05, 0.1, 0.5, 2]) registry.histogram('wait_seconds', { who: 'x' }).observe(value);
    registry.histogram('bare_seconds', {});
    registry.read('now', () => [{ labels: { name: 'a "b" \\ c\nd' }, value: 1.5 }]);
    assert.equal(
      registry.render(),
      [
        '# HELP things_total Things.',
        '# TYPE things_total counter',
        'things_total{kind="a"} 3',
        'things_total{kind="b"} 0',
        '# HELP wait_seconds Waiting.',
        '# TYPE wait_seconds histogram',
        'wait_seconds_bucket{who="x",le="0.1"} 2',
        'wait_seconds_bucket{who="x",le="1"} 3',
        'wait_seconds_bucket{who="x",le="+Inf"} 4',
        'wait_seconds_sum{who="x"} 2.65',
        'wait_seconds_count{who="x"} 4',
        '# HELP bare_seconds Bare.',
        '# TYPE bare_seconds histogram',
        'bare_seconds_bucket{le="1"} 0',
        'bare_seconds_bucket{le="+Inf"} 0',
        'bare_seconds_sum 0',
        'bare_seconds_count 0',
        '# HELP now Now.',
        '# TYPE now gauge',
        'now{name="a \\"b\\" \\\\ c\\nd"} 1.5',
        '',
      ].join('\n'),
    );
  });
});
