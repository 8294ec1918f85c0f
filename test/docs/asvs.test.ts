import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/asvs.md'), 'utf8');
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| (.+) \| (.+) \|$/gm)];

/**
 * How many requirements of levels 1 and 2 each section of ASVS 5.0 has; in each, they are numbered from 1. Left out are sections
 * that do not apply, which the page names: GraphQL, WebSocket, authorisation servers and their clients, WebRTC.
 */
const sections: Readonly<Record<string, number>> = {
  ...{ 1.1: 2, 1.2: 9, 1.3: 11, 1.4: 3, 1.5: 2 },
  ...{ 2.1: 3, 2.2: 3, 2.3: 4, 2.4: 1 },
  ...{ 3.2: 2, 3.3: 4, 3.4: 6, 3.5: 5, 3.7: 2 },
  ...{ 4.1: 3, 4.2: 1 },
  ...{ 5.1: 1, 5.2: 3, 5.3: 2, 5.4: 3 },
  ...{ 6.1: 3, 6.2: 12, 6.3: 4, 6.4: 4, 6.5: 5, 6.6: 3, 6.8: 4 },
  ...{ 7.1: 3, 7.2: 4, 7.3: 2, 7.4: 5, 7.5: 2, 7.6: 2 },
  ...{ 8.1: 2, 8.2: 3, 8.3: 1, 8.4: 1 },
  ...{ 9.1: 3, 9.2: 4 },
  ...{ '10.1': 2, '10.2': 2, '10.5': 5 },
  ...{ '11.1': 2, '11.2': 3, '11.3': 3, '11.4': 4, '11.5': 1, '11.6': 1 },
  ...{ '12.1': 3, '12.2': 2, '12.3': 4 },
  ...{ '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5 },
  ...{ '14.1': 2, '14.2': 4, '14.3': 3 },
  ...{ '15.1': 3, '15.2': 3, '15.3': 7 },
  ...{ '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3 },
};

/** The titles of tests, not other words of a file. */
function titlesIn(source: string): string {
  const titles = source.matchAll(/\b(?:it|describe)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs);
  return [...titles].map(([, , title]) => title).join('\n');
}

describe('docs/asvs.md', () => {
  it('has each requirement of levels 1 and 2 once, in its order', () => {
    const wanted = Object.entries(sections).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    const inOrder = wanted.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
    assert.deepEqual(
      rows.map(([, id]) => id),
      inOrder,
    );
  });

  it('names tests that there are', () => {
    for (const [, id = '', , cell = ''] of rows) {
      if (cell === '–') continue;
      const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(cell) ?? [];
      const place = ['test/server', 'test']
        .map((folder) => path.join(root, folder, file))
        .find((one) => existsSync(one));
      assert.ok(file !== '' && place !== undefined, `${id}: ${cell}`);
      assert.ok(titlesIn(readFileSync(place, 'utf8')).includes(title), `${id}: ${file} has no test "${title}"`);
    }
  });
});
