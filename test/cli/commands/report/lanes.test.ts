import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLanes, endOfAccess, mainWindow, stateOf } from '../../../../cli/commands/report/page/lanes.ts';
import { place, scaleOf, ticksOf } from '../../../../cli/commands/report/page/scale.ts';

const role = { name: 'r', people: [[0, 5] as [number, number]], dataSources: [[1, 7] as [number, number]] };

describe('the lanes of the page', () => {
  it('are the same from both sides', () => {
    const lanes = createLanes({
      roles: [role],
      permissions: [
        [0, 1, 10, 20],
        [0, 1, 2, 4],
        [0, 0, 1, 2],
      ],
    });
    assert.deepEqual(
      lanes.ofDataSource(1),
      lanes.ofPerson(0).filter(({ dataSource }) => dataSource === 1),
    );
    assert.deepEqual(
      lanes.ofPerson(0).map(({ windows }) => windows),
      [
        [{ start: 1, end: 2 }],
        [{ start: 7, end: undefined }],
        [
          { start: 2, end: 4 },
          { start: 10, end: 20 },
        ],
      ],
    );
  });

  it('say what holds longest, else what comes next, else what was last', () => {
    const [lane] = createLanes({
      roles: [],
      permissions: [
        [0, 0, 1, 3],
        [0, 0, 2, 9],
        [0, 0, 20, 30],
      ],
    }).ofPerson(0);
    assert.ok(lane !== undefined);
    assert.deepEqual(
      [2, 10, 40].map((at) => mainWindow(lane, at)?.end),
      [9, 30, 30],
    );
  });

  it('begin with their start and are over with their end', () => {
    const states = [0, 1, 2].map((at) => stateOf({ start: 1, end: 2 }, {}, at));
    assert.deepEqual(states, ['upcoming', 'active', 'ended']);
    assert.equal(stateOf({ start: 1, end: 2 }, { locked: true }, 1), 'locked');
  });

  it('end when nothing follows', () => {
    const end = (...windows: [number, number][]) =>
      endOfAccess(
        createLanes({ roles: [], permissions: windows.map(([from, to]) => [0, 1, from, to]) }).ofPerson(0),
        1,
        5,
      );
    assert.equal(end([1, 9]), 9);
    assert.equal(end([1, 9], [9, 12]), 12);
    assert.equal(end([1, 9], [10, 12]), 9);
    assert.equal(end([6, 9]), undefined);
    const byRole = createLanes({
      roles: [{ ...role, people: [[0, 0]], dataSources: [[1, 0]] }],
      permissions: [[0, 1, 1, 9]],
    });
    assert.equal(endOfAccess(byRole.ofPerson(0), 1, 5), undefined);
  });
});

describe('the scale of the page', () => {
  const at = Date.UTC(2026, 10, 21, 17);

  it('puts a quarter before the moment', () => {
    for (const span of ['7', '30', '90', '365'] as const) {
      assert.equal(place(scaleOf(span, at, 0, { from: 0, to: 0 }), at), 25);
    }
  });

  it('has all of it where all is asked for, even where there is nothing', () => {
    const scale = scaleOf('all', at, 0, { from: Infinity, to: -Infinity });
    assert.ok(scale.from < at && scale.to > at && Number.isFinite(scale.to - scale.from));
  });

  it('is marked at round times, as many as there is room for', () => {
    for (const span of ['7', '30', '90', '365', 'all'] as const) {
      for (const most of [3, 8, 20]) {
        const ticks = ticksOf(scaleOf(span, at, 0, { from: Date.UTC(1970), to: Date.UTC(2100) }), most);
        assert.ok(ticks.length >= 1 && ticks.length <= most + 1, `${span} ${most}: ${ticks.length}`);
      }
    }
    const quarter = ticksOf(scaleOf('90', at, 0, { from: 0, to: 0 }), 8).map(({ label }) => label);
    assert.deepEqual(quarter, ['9 Nov', '23 Nov', '7 Dec', '21 Dec', '4 Jan', '18 Jan']);
  });
});
