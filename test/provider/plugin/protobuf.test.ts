import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls, decode, encode, ProtobufError } from '@rolecall/provider/codec';
import fc from 'fast-check';
import { propertyRuns } from '../../support/property-runs.ts';

const { request, response } = calls.PlanResourceChange;
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('a message', () => {
  it('is written as protoc writes it', () => {
    const message = {
      plannedState: { msgpack: hex('c0') },
      requiresReplace: [{ steps: [{ attributeName: 'id' }, { elementKeyInt: 0 }, { elementKeyString: 'k' }] }],
      diagnostics: [{ severity: 1, summary: 'é', detail: '' }],
    };
    assert.equal(
      encode(response, message).toString('hex'),
      ['0a030a01c0', '120f', '0a040a026964', '0a021800', '0a0312016b', '2206', '0801', '1202c3a9'].join(''),
    );
  });

  it('comes back as it was written', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), bytes, fc.boolean(), (typeName, data, allowed) => {
        const message = {
          typeName,
          priorState: { msgpack: data },
          priorPrivate: data,
          clientCapabilities: { deferralAllowed: allowed, writeOnlyAttributesAllowed: !allowed },
        };
        const read = decode(request, encode(request, message));
        assert.equal(read.typeName, typeName);
        assert.deepEqual(Buffer.from(read.priorState?.msgpack ?? []), data);
        assert.deepEqual(Buffer.from(read.priorPrivate), data);
        assert.equal(read.clientCapabilities?.writeOnlyAttributesAllowed, !allowed);
        assert.equal(read.config, undefined);
      }),
    );
  });

  it('keeps numbers of both signs', () => {
    const { request: numbers } = calls.UpgradeResourceState;
    for (const version of [0, 1, 127, 128, 2 ** 31, Number.MAX_SAFE_INTEGER, -1, Number.MIN_SAFE_INTEGER]) {
      assert.equal(decode(numbers, encode(numbers, { version })).version, version);
    }
    assert.throws(() => encode(numbers, { version: 2 ** 53 }), ProtobufError);
  });

  it('passes over the fields of newer versions, of every wire type', () => {
    const newer = hex('0a 01 61' + '98 06 01' + '99 06 0102030405060708' + '9a 06 02 ffff' + '9d 06 01020304');
    assert.equal(decode(request, newer).typeName, 'a');
  });

  it('is refused, and nothing else happens, whatever bytes come', () => {
    const all = Object.values(calls).flatMap((call) => [call.request, call.response]);
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.uint8Array({ maxLength: 80 }), (fields, bytes) => {
        try {
          decode(fields, bytes);
        } catch (error) {
          assert.ok(error instanceof ProtobufError, String(error));
        }
      }),
      { numRuns: propertyRuns({ quick: 600, all: 3000 }) },
    );
    assert.throws(() => decode(request, hex('0a ff ff ff ff 0f')), /ends in the middle/);
    assert.throws(() => decode(request, hex('0a 01 ff')), /not UTF-8/);
    assert.throws(() => decode(request, hex('08 01')), /wire type/);
    assert.throws(() => decode(request, hex('ff ff ff ff ff ff ff ff ff ff ff')), /longer than ten bytes/);
  });
});
