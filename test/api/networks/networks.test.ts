import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatAddress, parseAddress, parseNumericHost } from '../../../api/networks/address.ts';
import { type NetworkRules, networkPolicy, parseNetwork } from '../../../api/networks/networks.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const v4 = fc.ipV4();
const v6 = fc.ipV6().filter((text) => !/^(::ffff:|0:0:0:0:0:ffff:)/i.test(text));

function deniedBy(address: string, rules: NetworkRules = {}): string | undefined {
  const parsed = parseAddress(address) ?? assert.fail(address);
  return networkPolicy(rules)(parsed);
}

describe('addresses', () => {
  it('keep what they are when they are written again', () => {
    fc.assert(
      fc.property(fc.oneof(v4, v6), (text) => {
        const parsed = parseAddress(text) ?? assert.fail();
        assert.deepEqual(parseAddress(formatAddress(parsed)), parsed);
      }),
    );
  });

  for (const text of ['', 'localhost', '10.0.0', '10.0.0.0/8', '1::2::3', '0x7f000001', '10.0.0.256']) {
    it(`are not ${JSON.stringify(text)}`, () => {
      assert.equal(parseAddress(text), undefined);
    });
  }

  const spellings = [
    '2130706433',
    '0x7f000001',
    '017700000001',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '127.0.1',
    '127.0.0.1.',
  ];
  for (const text of spellings) {
    it(`are read from ${text}, as the C library does`, () => {
      assert.deepEqual(parseNumericHost(text), parseAddress('127.0.0.1'));
    });
  }

  for (const text of ['localhost', 'db1', '1db.example', 'a.0x', '10.example', '99999999999', '1.2.3.4.5']) {
    it(`are not read from the name ${text}`, () => {
      assert.equal(parseNumericHost(text), undefined);
    });
  }
});

describe('networks', () => {
  it('hold the addresses that Node says they do', () => {
    const cases = fc.oneof(
      fc.tuple(v4, fc.integer({ min: 0, max: 32 }), v4, fc.constant('ipv4' as const)),
      fc.tuple(v6, fc.integer({ min: 0, max: 128 }), v6, fc.constant('ipv6' as const)),
    );
    fc.assert(
      fc.property(cases, fc.boolean(), ([host, length, other, family], isItself) => {
        const network = networkOf(host, length);
        const list = new BlockList();
        list.addSubnet(network.split('/')[0] ?? '', length, family);
        const address = isItself ? host : other;
        // What is denied anyway, and what an IPv6 address carries, say nothing here.
        fc.pre(deniedBy(address) === undefined);
        assert.equal(deniedBy(address, { denied: [network] }) !== undefined, list.check(address, family));
      }),
      { numRuns: propertyRuns({ quick: 400, all: 2000 }) },
    );
  });

  for (const [text, remedy] of [
    ['', /write it as/],
    ['example.com', /write it as/],
    ['10.0.0.0/33', /from 0 to 32/],
    ['10.0.0.0/-1', /write it as/],
    ['10.1.2.3/8', /write the network as 10\.0\.0\.0\/8/],
    ['fd00::1/8', /write the network as fd00::\/8/],
    ['::ffff:10.0.0.0/64', /from 96 to 128/],
    ['10.0.0.0/8/8', /write it as/],
    ['010.0.0.0/8', /write it as/],
  ] as const) {
    it(`are not ${JSON.stringify(text)}, which the error says with the remedy`, () => {
      assert.throws(() => parseNetwork(text), { code: 'ERR_NETWORK', message: remedy });
    });
  }

  it('of IPv4 may be written as IPv6', () => {
    assert.equal(deniedBy('10.1.2.3', { denied: ['::ffff:10.0.0.0/104'] }), '10.0.0.0/8');
  });
});

/** The network of this size that an address is in. */
function networkOf(host: string, length: number): string {
  const { bits, value } = parseAddress(host) ?? assert.fail();
  const rest = BigInt(bits - length);
  return `${formatAddress({ bits, value: (value >> rest) << rest })}/${length}`;
}

describe('the networks of a service whose operator has said nothing', () => {
  const denied = [
    ...['0.0.0.0', '0.1.2.3', '169.254.169.254', '169.254.0.1', '169.254.170.2', '100.100.100.200', '168.63.129.16'],
    ...[
      '192.0.0.192',
      '127.0.0.1',
      '127.255.255.255',
      '::1',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      '224.0.0.1',
      '239.255.255.255',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...['::', 'fe80::1', 'febf::1', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'ff02::1'],
    // The same by way of IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
    ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:a9fe:a9fe', '::a9fe:a9fe', '::ffff:0:a9fe:a9fe'],
    ...['64:ff9b::169.254.169.254', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '2002:a9fe:a9fe::1', '::ffff:0.0.0.0'],
    ...['2001:0:4136:e378:8000:63bf:5601:5601'],
  ];
  for (const address of denied) {
    it(`do not have ${address}`, () => {
      assert.notEqual(deniedBy(address), undefined);
    });
  }

  const allowed = [
    ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.100.100.201', '169.253.255.255', '169.255.0.0'],
    ...['8.8.8.8', 'fd00::1', 'fec0::1', '2001:db8::1', '::ffff:10.0.0.1', '64:ff9b::8.8.8.8', '2002:808:808::1'],
  ];
  for (const address of allowed) {
    it(`have ${address}`, () => {
      assert.equal(deniedBy(address), undefined);
    });
  }
});

describe('what an operator says of networks', () => {
  it('is decided by the smallest network that an address is in', () => {
    const rules = { denied: ['10.0.0.0/8', '10.1.2.0/24'], allowed: ['10.1.0.0/16', '10.1.2.3'] };
    assert.equal(deniedBy('10.2.0.1', rules), '10.0.0.0/8');
    assert.equal(deniedBy('10.1.0.1', rules), undefined);
    assert.equal(deniedBy('10.1.2.4', rules), '10.1.2.0/24');
    assert.equal(deniedBy('10.1.2.3', rules), undefined);
  });

  it('denies what is denied and allowed alike', () => {
    assert.equal(deniedBy('10.0.0.1', { denied: ['10.0.0.0/8'], allowed: ['10.0.0.0/8'] }), '10.0.0.0/8');
  });

  it('goes before the default for the same network, and not for a larger one', () => {
    assert.equal(deniedBy('169.254.169.254', { allowed: ['169.254.0.0/16'] }), undefined);
    assert.equal(deniedBy('169.254.169.254', { allowed: ['169.0.0.0/8', '0.0.0.0/0'] }), '169.254.0.0/16');
  });

  it('can leave nothing but a few', () => {
    const rules = { denied: ['0.0.0.0/0', '::/0'], allowed: ['10.20.0.0/16'] };
    assert.deepEqual(
      ['10.20.1.1', '10.21.0.1', '127.0.0.1', '::1', '2001:db8::1', '::ffff:10.20.1.1'].map((one) =>
        deniedBy(one, rules),
      ),
      [undefined, '0.0.0.0/0', '127.0.0.0/8', '::1/128', '::/0', undefined],
    );
  });

  it('can allow loopback, in IPv6 too', () => {
    const rules = { allowed: ['127.0.0.0/8', '::1'] };
    assert.deepEqual(
      ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'].map((one) => deniedBy(one, rules)),
      [undefined, undefined, undefined, undefined, undefined],
    );
  });
});
