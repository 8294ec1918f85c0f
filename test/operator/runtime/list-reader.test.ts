import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnswerTooLargeError } from '../../../operator/runtime/errors.ts';
import { ListReader } from '../../../operator/runtime/list-reader.ts';

const head = { apiVersion: 'rolecall.dev/v1alpha1', kind: 'Person' };
const metadata = { continue: '', resourceVersion: '7' };

const person = (name: string, spec: unknown = {}) => ({ ...head, metadata: { name }, spec });

/** How API servers write a list: of custom objects, the same in a stream, of what is built in. */
const forms = {
  'of custom objects': (items: unknown) =>
    `${JSON.stringify({ apiVersion: head.apiVersion, items, kind: 'PersonList', metadata })}\n`,
  'with its metadata first': (items: unknown) =>
    `${JSON.stringify({ kind: 'PersonList', apiVersion: head.apiVersion, metadata, items })}\n`,
};

/** Reads a text in chunks of so many bytes. */
function read(text: string, size: number) {
  const items: unknown[] = [];
  const early: number[] = [];
  const reader = new ListReader((item) => items.push(item));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    reader.take(bytes.subarray(at, at + size));
    early.push(items.length);
  }
  const list = reader.end() as { readonly metadata: unknown };
  return { items, early: early.at(-1), version: list.metadata };
}

describe('a list', () => {
  /** Texts that look like the end of one object and the beginning of the next. */
  const imitation = `"}},{"apiVersion":"rolecall.dev/v1alpha1","kind":"Person","metadata":{"name":"forged"}`;
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    'of some objects': ['ada', 'grace', 'edsger', 'barbara'].map((name) => person(name)),
    'of one object': [person('ada')],
    'of none': [],
    'with characters of several bytes': [person('ada', { name: 'Ädä 🦉 "λ"' }), person('grace', { name: '漢字' })],
    'with texts that imitate its form': [
      person('ada', { email: imitation, note: `\\${imitation}`, other: '],"metadata":{' }),
      person(imitation),
      person('grace', { '"items":[': '"items":[' }),
    ],
    'with objects within its objects': [
      person('ada', { list: [person('inner'), person('another'), { items: [person('third')] }] }),
      person('grace', { list: [person('inner'), person('another')] }),
      person('edsger'),
    ],
    'of objects that begin differently': [person('ada'), { metadata: { name: 'x' } }, { spec: {} }, person('grace')],
    'of built-in objects': ['a', 'b', 'c'].map((name) => ({ metadata: { name }, data: { items: '[]' } })),
  };

  for (const [form, write] of Object.entries(forms)) {
    for (const [what, objects] of Object.entries(lists)) {
      it(`${form}, ${what}, is read object by object, however it is cut`, () => {
        for (const size of [1, 2, 3, 7, 64, 1_000, 100_000]) {
          const { items, version } = read(write(objects), size);
          assert.deepEqual(items, objects, `in chunks of ${size} bytes`);
          assert.deepEqual(version, metadata);
        }
      });
    }

    it(`${form}, of null, has no objects`, () => {
      assert.deepEqual(read(write(null), 10).items, []);
    });
  }

  it('hands over an object as soon as the next one has begun', () => {
    const objects = ['ada', 'grace', 'edsger'].map((name) => person(name));
    assert.equal(read(forms['of custom objects'](objects), 20).early, 2);
  });

  it('comes without what the API server notes about its writers', () => {
    const managedFields = [
      { ...head, manager: 'x' },
      { ...head, metadata: {}, manager: '"},{"' },
    ];
    const objects = ['ada', 'grace'].map((name) => ({ ...head, metadata: { managedFields, name } }));
    for (const size of [1, 10, 1_000]) {
      const { items } = read(forms['of custom objects'](objects), size);
      assert.deepEqual(
        items,
        ['ada', 'grace'].map((name) => ({ ...head, metadata: { managedFields: [], name } })),
      );
    }
  });

  it('is refused where it ends too early, and where an object has no end', () => {
    const whole = forms['of custom objects'](['ada', 'grace'].map((name) => person(name)));
    assert.throws(() => read(whole.slice(0, -10), 100), SyntaxError);
    const reader = new ListReader(() => undefined);
    reader.take(Buffer.from(whole.slice(0, 200)));
    const more = Buffer.alloc(1024 * 1024, 'x');
    assert.throws(() => {
      for (let mib = 0; mib < 17; mib += 1) reader.take(more);
    }, AnswerTooLargeError);
  });
});
