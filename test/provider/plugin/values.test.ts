import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ConformError,
  Decimal,
  Dynamic,
  decodeValue,
  encodeValue,
  isSame,
  type Type,
  Unknown,
  unknown,
  type Value,
} from '@rolecall/provider/codec';
import fc from 'fast-check';
import { propertyRuns } from '../../support/property-runs.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** A type with a value of it. */
interface Typed {
  type: Type;
  value: Value;
}

const leaf: fc.Arbitrary<Typed> = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((value) => ({ type: 'string' as const, value })),
  fc.boolean().map((value) => ({ type: 'bool' as const, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ type: 'number' as const, value: value + 0 })),
  fc.bigInt().map((value) => ({ type: 'number' as const, value: narrow(value) })),
  fc.constantFrom<Type>('string', 'number', 'bool').map((type) => ({ type, value: null })),
  fc.constantFrom<Type>('string', 'number', 'bool').map((type) => ({ type, value: unknown })),
);

const typed = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(fc.string({ minLength: 1 }), tie('any')).map((members) => ({
      type: ['object', Object.fromEntries(Object.entries(members).map(([name, { type }]) => [name, type]))] as const,
      value: Object.fromEntries(Object.entries(members).map(([name, { value }]) => [name, value])),
    })),
    fc.array(tie('any'), { maxLength: 5 }).map((items) => ({
      type: ['tuple', items.map(({ type }) => type)] as const,
      value: items.map(({ value }) => value),
    })),
    fc
      .tuple(fc.constantFrom('list' as const, 'set' as const), leaf, fc.nat(40))
      .map(([kind, { type, value }, size]) => ({
        type: [kind, type] as const,
        value: Array.from({ length: size }, () => value),
      })),
    tie('any').map(({ type, value }) => ({ type: 'dynamic' as const, value: new Dynamic(type, value) })),
  ),
})).any;

function narrow(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

describe('a value', () => {
  it('comes back as it was written, whatever its type', () => {
    fc.assert(
      fc.property(typed, ({ type, value }) => {
        assert.ok(isSame(type, decodeValue(type, encodeValue(type, value)), value));
      }),
      { numRuns: propertyRuns({ quick: 100, all: 500 }) },
    );
  });

  it('is read in every form that MessagePack has for it', () => {
    const forms: [Type, string, Value][] = [
      ['number', 'd3 00 00 00 00 00 00 00 07', 7],
      ['number', 'cf ff ff ff ff ff ff ff ff', 18446744073709551615n],
      ['number', 'cb 3f f8 00 00 00 00 00 00', 1.5],
      ['number', 'ca 3f c0 00 00', 1.5],
      ['number', 'cc ff', 255],
      ['number', 'cd 01 00', 256],
      ['number', 'ce 00 01 00 00', 65536],
      ['number', 'd0 80', -128],
      ['number', 'd1 ff 00', -256],
      ['number', 'd2 ff ff 00 00', -65536],
      ['number', 'e0', -32],
      ['string', 'd9 02 68 69', 'hi'],
      ['string', 'da 00 02 68 69', 'hi'],
      ['string', 'db 00 00 00 02 68 69', 'hi'],
      ['bool', 'c3', true],
      [['list', 'bool'], 'dc 00 01 c2', [false]],
      [['list', 'bool'], 'dd 00 00 00 01 c2', [false]],
      [['map', 'bool'], 'de 00 01 a1 61 c3', { a: true }],
      [['map', 'bool'], 'df 00 00 00 01 a1 61 c3', { a: true }],
    ];
    for (const [type, bytes, value] of forms) assert.ok(isSame(type, decodeValue(type, hex(bytes)), value), bytes);
  });

  it('keeps numbers that no JavaScript number holds, digit by digit', () => {
    const big = '123456789012345678901234567890';
    const text = Buffer.concat([Buffer.of(0xa0 + big.length), Buffer.from(big)]);
    assert.equal(decodeValue('number', text), BigInt(big));
    assert.deepEqual(encodeValue('number', BigInt(big)), text);
    const fraction = '0.1234567890123456789012345';
    const encoded = Buffer.concat([Buffer.of(0xa0 + fraction.length), Buffer.from(fraction)]);
    const decoded = decodeValue('number', encoded);
    assert.ok(decoded instanceof Decimal);
    assert.deepEqual(encodeValue('number', decoded), encoded);
  });

  it('is unknown whatever Terraform knows of it, and goes back with what it knows', () => {
    assert.equal(decodeValue('string', hex('d4 00 00')), unknown);
    const refined = hex('c7 03 0c 81 01 c2');
    const value = decodeValue('string', refined);
    assert.ok(value instanceof Unknown);
    assert.deepEqual(encodeValue('string', value), refined);
  });

  it('is refused with its path when it is not what the schema says', () => {
    const type: Type = ['object', { name: 'string', ids: ['set', 'string'] }];
    const wrong: [Value, RegExp][] = [
      [{ name: 'a' }, /^ids is missing$/],
      [{ name: 'a', ids: [], more: 1 }, /^more is no attribute of the schema$/],
      [{ name: 1, ids: [] }, /^name must be a string, and is a number$/],
      [{ name: 'a', ids: ['b', false] }, /^ids\[1\] must be a string, and is a boolean$/],
      [{ name: '\ud800', ids: [] }, /^name has half of a surrogate pair$/],
      [{ name: Number.NaN, ids: [] }, /^name must be a string/],
    ];
    for (const [value, message] of wrong) {
      assert.throws(() => encodeValue(type, value), { name: 'ConformError', message });
    }
    assert.throws(() => encodeValue('number', Number.POSITIVE_INFINITY), ConformError);
    assert.throws(() => decodeValue(type, hex('81 a4 6e616d65 a1 61')), /ids is missing/);
    assert.throws(() => decodeValue(type, hex('81 a1 78 c0')), /x is no attribute of the schema/);
  });

  it('never repeats a value in a complaint, as it may be a secret', () => {
    assert.throws(
      () => encodeValue('number', 'pl4nted-p4ssw0rd'),
      ({ message }: Error) => !message.includes('pl4nted'),
    );
  });

  it('is refused, and nothing else happens, whatever bytes come', () => {
    const types: Type[] = [
      'string',
      'number',
      'dynamic',
      ['list', 'dynamic'],
      ['map', 'string'],
      ['object', { a: 'bool' }],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 64 }), (type, bytes) => {
        try {
          decodeValue(type, bytes);
        } catch (error) {
          assert.ok(error instanceof ConformError, String(error));
        }
      }),
      { numRuns: propertyRuns({ quick: 400, all: 2000 }) },
    );
  });

  it('takes no memory for elements that are not there, and no stack for levels without end', () => {
    assert.throws(() => decodeValue(['list', 'string'], hex('dd ff ff ff ff')), /ends in the middle/);
    assert.throws(() => decodeValue('string', hex('db ff ff ff ff')), /ends in the middle/);
    const pair = Buffer.concat([hex('92 c4 09'), Buffer.from('"dynamic"')]);
    assert.throws(
      () => decodeValue('dynamic', Buffer.concat(Array.from({ length: 5000 }, () => pair))),
      /nests deeper/,
    );
  });

  it('does not let an attribute named __proto__ reach the prototype', () => {
    const value = decodeValue(['map', 'bool'], hex('81 a9 5f5f70726f746f5f5f c3'));
    assert.equal(Object.getPrototypeOf({}) === Object.prototype, true);
    assert.deepEqual(Object.keys(value as object), ['__proto__']);
  });

  it('keeps an attribute named __proto__ of an object that comes with its type', () => {
    const name = '__proto__';
    const value = new Dynamic(['object', { [name]: 'string' }], { [name]: 'hi' });
    const read = decodeValue('dynamic', encodeValue('dynamic', value));
    assert.ok(read instanceof Dynamic);
    assert.deepEqual(Object.entries(read.value ?? {}), [[name, 'hi']]);
  });
});

describe('sameness', () => {
  it('does not ask for the order of a set, and does for that of a list', () => {
    assert.equal(isSame(['set', 'string'], ['a', 'b'], ['b', 'a']), true);
    assert.equal(isSame(['list', 'string'], ['a', 'b'], ['b', 'a']), false);
    assert.equal(isSame(['set', 'string'], ['a', 'a'], ['a', 'b']), false);
    assert.equal(isSame('string', unknown, 'a'), false);
    assert.equal(isSame('string', null, null), true);
  });
});
