import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ConnectionUri,
  ConnectionUriError,
  connectionParameters,
  connectionUriField,
  connectionUriPattern,
  dataSourceTypes,
  formatConnectionUri,
  parseConnectionUri,
  readConnectionUri,
  redactConnectionUri,
} from '@rolecall/api';
import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';
import { propertyRuns } from '../support/property-runs.ts';

describe('a connection URI', () => {
  it('is taken apart', () => {
    assert.deepEqual(parseConnectionUri('postgresql://ada:s%40cret@db.internal:5433/bill%20ing?sslmode=require'), {
      type: 'postgresql',
      user: 'ada',
      password: 's@cret',
      host: 'db.internal',
      port: 5433,
      database: 'bill ing',
      parameters: { sslmode: 'require' },
    });
  });

  it('may leave out user, password, port, database and parameters', () => {
    assert.deepEqual(parseConnectionUri('mysql://db'), { type: 'mysql', host: 'db', database: '', parameters: {} });
    assert.deepEqual(parseConnectionUri('mysql://ada:@db/'), {
      type: 'mysql',
      user: 'ada',
      host: 'db',
      database: '',
      parameters: {},
    });
  });

  it('has its host in ASCII, however it is written', () => {
    for (const host of ['münchen.example', 'MÜNCHEN.example', 'xn--mnchen-3ya.example']) {
      const uri = parseConnectionUri(`postgresql://ü:p%40@${host}:5432/ä`);
      assert.deepEqual([uri.host, uri.user, uri.database], ['xn--mnchen-3ya.example', 'ü', 'ä']);
    }
    assert.equal(connectionUriField.parse('mysql://a@münchen.example/b'), 'mysql://a@xn--mnchen-3ya.example/b');
    // Digits of full width would be another way to write an address of the machine itself.
    for (const host of ['１２７.0.0.1', 'mün\u200bchen.example', 'ｅxample.com', 'mün%2fchen']) {
      assert.throws(() => parseConnectionUri(`postgresql://a@${host}/b`), { code: 'ERR_CONNECTION_URI' });
    }
  });

  it('may have a password and no user', () => {
    const { user, password } = parseConnectionUri('mariadb://:secret@db/x');
    assert.deepEqual({ user, password }, { user: undefined, password: 'secret' });
  });

  it('may have an IPv6 address in brackets', () => {
    const { host, port } = parseConnectionUri('postgresql://[fe80::1]:5433/x');
    assert.deepEqual({ host, port }, { host: 'fe80::1', port: 5433 });
  });

  it('has its password after the first colon, up to the last @', () => {
    const { user, password, host } = parseConnectionUri('postgresql://ada:a:b@c@db/x');
    assert.deepEqual({ user, password, host }, { user: 'ada', password: 'a:b@c', host: 'db' });
  });

  it('names a file for SQLite, by its absolute path', () => {
    assert.deepEqual(parseConnectionUri('sqlite:///data/a%20b/r%C3%A9ports.db?mode=ro'), {
      type: 'sqlite',
      database: '/data/a b/réports.db',
      parameters: { mode: 'ro' },
    });
  });

  it('has its file path resolved', () => {
    assert.equal(parseConnectionUri('sqlite:///data/./x/../reports.db').database, '/data/reports.db');
  });

  it('takes every parameter of its type', () => {
    for (const value of ['disable', 'require', 'verify-ca', 'verify-full']) {
      assert.equal(parseConnectionUri(`postgresql://db/x?sslmode=${value}`).parameters['sslmode'], value);
    }
    for (const value of ['disabled', 'required', 'verify_ca', 'verify_identity']) {
      assert.equal(parseConnectionUri(`mysql://db/x?ssl-mode=${value}`).parameters['ssl-mode'], value);
    }
    assert.deepEqual(parseConnectionUri('mariadb://db/x?charset=latin1&connect_timeout=5').parameters, {
      charset: 'latin1',
      connect_timeout: '5',
    });
  });
});

describe('a connection URI is refused', () => {
  const refusals: [string, string, RegExp][] = [
    ['with another scheme', 'oracle://secret:secret@db/x', /scheme oracle; it must be one of postgresql, mysql/],
    ['with a scheme in capitals', 'MySQL://secret:secret@db/x', /scheme MySQL; it must be one of/],
    ['without a scheme', 'db.internal:5432/secret', /must begin with one of postgresql:\/\//],
    ['with one slash', 'postgresql:/secret', /must begin with one of/],
    ['empty', '', /must begin with one of/],
    ['without a host', 'postgresql:///secret', /must name one host/],
    ['with several hosts', 'postgresql://u:secret@a,b/x', /must name one host/],
    ['with several hosts and ports', 'postgresql://u:secret@a:1,b:2/x', /^must name one host, as in/],
    ['with several hosts and one port', 'postgresql://u:secret@a,b:2,c/x', /^must name one host, as in/],
    ['with a socket for a host', 'postgresql://u:secret@%2Fvar%2Frun/x', /must name one host/],
    ['with a dash before its host', 'postgresql://u:secret@-oProxy/x', /must name one host/],
    ['with an IPv6 address without brackets', 'postgresql://u:secret@fe80::1/x', /not a URI/],
    ['with an IPv6 zone', 'postgresql://u:secret@[fe80::1%25eth0]/x', /not a URI/],
    ['with a port that is no number', 'postgresql://u:secret@db:http/x', /not a URI/],
    ['with a port out of range', 'postgresql://u:secret@db:65536/x', /^must have a port from 1 to 65535$/],
    ['with a port out of range, and no database', 'mysql://secret@[::1]:70000', /^must have a port from 1 to 65535$/],
    ['with a character that no host has', 'postgresql://u:secret@d^b:5432/x', /percent-encode special characters/],
    ['with / in a password of digits', 'postgresql://u:70000/secret@db/x', /percent-encode special characters/],
    ['with port 0', 'postgresql://u:secret@db:0/x', /port from 1 to 65535/],
    ['with a path below its database', 'postgresql://u:secret@db/x/y', /one database name/],
    ['with an encoded slash in its database', 'postgresql://u:secret@db/x%2Fy', /one database name/],
    ['with a fragment', 'postgresql://u:secret@db/x#y', /must not contain #.*%23/],
    ['with an empty fragment', 'postgresql://u:secret@db/x#', /must not contain #/],
    ['with # in its password', 'postgresql://u:secret#1@db/x', /must not contain #|not a URI/],
    ['with / in its password', 'postgresql://u:12/secret@db', /has a \/ before an @.*%2F/],
    ['with / in its password and a database', 'postgresql://u:12/secret@db/x', /has a \/ before an @.*%2F/],
    ['with ? in its password', 'postgresql://u:12?secret@db/x', /has a \? before an @.*%3F/],
    ['with ? and = in its password', 'postgresql://u:12?secret=3@db/x', /has a \? before an @.*%3F/],
    ['with a space', 'postgresql://u:secret @db/x', /spaces or control characters/],
    ['with a space at its end', 'postgresql://u:secret@db/x ', /spaces or control characters/],
    ['with a line break', 'postgresql://u:secret\n@db/x', /spaces or control characters/],
    ['with a tab', 'postgresql://u:sec\tret@db/x', /spaces or control characters/],
    ['with a delete character', 'postgresql://u:secret\u007f@db/x', /spaces or control characters/],
    ['with a NUL', 'postgresql://u:secret\0@db/x', /spaces or control characters/],
    ['with an encoded NUL in its password', 'postgresql://u:secret%00@db/x', /password that is not valid/],
    ['with a broken escape in its password', 'postgresql://u:secret%zz@db/x', /password that is not valid/],
    ['with bytes that are not UTF-8 in its user', 'postgresql://%ff:secret@db/x', /user name that is not valid/],
    ['with a broken escape in its database', 'postgresql://u:secret@db/%', /database name that is not valid/],
    ['longer than 4,096 characters', `postgresql://u:secret@db/${'x'.repeat(4096)}`, /longer than 4,096/],
    ['with a parameter twice', 'postgresql://u:secret@db/x?sslmode=require&sslmode=disable', /sslmode twice/],
    ['with an empty parameter', 'postgresql://u:secret@db/x?sslmode=', /invalid value for the parameter sslmode/],
    [
      'with a value that is not known',
      'postgresql://u:secret@db/x?sslmode=allow',
      /invalid value for the parameter sslmode; write one of disable, prefer, require, verify-ca, verify-full$/,
    ],
    [
      'with a time-out of 0',
      'mysql://u:secret@db/x?connect_timeout=0',
      /invalid value for the parameter connect_timeout/,
    ],
    ['with a parameter of another type', 'mysql://u:secret@db/x?sslmode=require', /"sslmode", which mysql.*ssl-mode/],
    ['with a name from the prototype', 'postgresql://u:secret@db/x?__proto__=1', /"__proto__", which postgresql/],
    ['with a host for SQLite', 'sqlite://data/reports.db', /three slashes/],
    ['with a port for SQLite', 'sqlite://:1/reports.db', /three slashes/],
    ['without a file for SQLite', 'sqlite:///', /must name a file/],
    ['without a path for SQLite', 'sqlite://', /must name a file/],
    ['with a folder for SQLite', 'sqlite:///data/', /must name a file/],
    ['with a way up that an encoded slash hides', 'sqlite:///data/..%2F..%2Fsecret', /must not have \. or \.\./],
  ];
  for (const [what, text, message] of refusals) {
    it(what, () => {
      assert.throws(
        () => parseConnectionUri(text),
        (error) => {
          assert.ok(error instanceof ConnectionUriError);
          assert.equal(error.code, 'ERR_CONNECTION_URI');
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /secret/);
          return true;
        },
      );
    });
  }

  // node-postgres, mysql2 and SQLite take these from a URI; each reads a file, names another host or changes a rule.
  for (const name of [
    'host',
    'hostaddr',
    'port',
    'user',
    'password',
    'dbname',
    'service',
    'passfile',
    'sslkey',
    'sslcert',
    'sslrootcert',
    'ssl',
    'options',
    'uselibpqcompat',
    'socketPath',
    'multipleStatements',
    'vfs',
    'immutable',
  ]) {
    it(`with the parameter ${name}`, () => {
      for (const type of dataSourceTypes) {
        const before = type === 'sqlite' ? 'sqlite:///x.db' : `${type}://db/x`;
        assert.throws(() => parseConnectionUri(`${before}?${name}=secret`), new RegExp(`"${name}", which ${type}`));
      }
    });
  }
});

describe('a connection URI of an answer', () => {
  it('is read without the parameters that no definition can have', () => {
    const uri = 'postgresql://ada:s%40cret@db.internal:5433/billing?sslmode=require';
    assert.deepEqual(readConnectionUri(`${uri}&tenant=a@b&tenant=2&password=other`), parseConnectionUri(uri));
  });

  it('keeps a value that no definition can have, as that is a difference', () => {
    assert.deepEqual(readConnectionUri('mysql://db/x?ssl-mode=preferred&ssl-mode=required').parameters, {
      'ssl-mode': 'preferred',
    });
  });

  it('is refused where it is none', () => {
    assert.throws(() => readConnectionUri('db.internal/billing'), ConnectionUriError);
  });
});

describe('a connection URI that is written', () => {
  it('reads as the same parts', () => {
    fc.assert(
      fc.property(connectionUri, (uri) => {
        assert.deepEqual(parseConnectionUri(formatConnectionUri(uri)), uri);
      }),
      { numRuns: propertyRuns({ quick: 400, all: 2000 }) },
    );
  });

  it('fits the pattern of the API description', () => {
    fc.assert(
      fc.property(connectionUri, (uri) => {
        assert.match(formatConnectionUri(uri), new RegExp(connectionUriPattern));
      }),
    );
  });

  it('shows in its short form only scheme, user, host and port', () => {
    fc.assert(
      fc.property(connectionUri, (uri) => {
        const { type, user, host, port } = uri;
        const shown = {
          type,
          ...(user === undefined ? {} : { user }),
          ...(host === undefined ? {} : { host }),
          ...(port === undefined ? {} : { port }),
        };
        const redacted = redactConnectionUri(formatConnectionUri(uri));
        if (type === 'sqlite') assert.equal(redacted, 'sqlite://');
        else assert.deepEqual(parseConnectionUri(redacted), { ...shown, database: '', parameters: {} });
      }),
    );
    assert.equal(redactConnectionUri('mysql://ada:secret@[::1]:3307/x?charset=utf8'), 'mysql://ada@[::1]:3307');
  });
});

describe('any text', () => {
  it('either reads as parts that can be written and read again, or is refused', () => {
    const pieces = fc.constantFrom('postgresql://', 'sqlite://', '/', '//', ':', '@', '?', '=', '&', '%', '%2F', '%2e');
    const joined = fc
      .array(fc.oneof(pieces, fc.constantFrom('..', '.', 'db', '5432', 'sslmode', 'mode', 'ro', '[::1]', 'é')))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.constantFrom('', 'mysql://u:'),
        fc.oneof(joined, fc.string({ unit: anyCharacter })),
        (start, rest) => {
          try {
            const uri = parseConnectionUri(`${start}${rest}`);
            assert.deepEqual(parseConnectionUri(formatConnectionUri(uri)), uri);
          } catch (error) {
            assert.ok(error instanceof ConnectionUriError, String(error));
          }
        },
      ),
      { numRuns: propertyRuns({ quick: 800, all: 5000 }) },
    );
  });
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => !value.includes('\0'));
const name = text.filter((value) => !/[/]|^\.\.?$/.test(value));
const values: Record<string, string> = {
  sslmode: 'verify-full',
  application_name: 'a&b=c d+e%41@/?',
  connect_timeout: '5',
  'ssl-mode': 'verify_ca',
  charset: 'utf8mb4',
  mode: 'ro',
};

function parametersOf(type: keyof typeof connectionParameters): fc.Arbitrary<Record<string, string>> {
  return fc
    .subarray(Object.keys(connectionParameters[type]))
    .map((names) => Object.fromEntries(names.map((key) => [key, values[key] ?? ''])));
}

const network = fc.constantFrom('postgresql', 'mysql', 'mariadb').chain((type) =>
  fc.record(
    {
      type: fc.constant(type),
      user: text,
      password: text,
      host: fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('::1', 'fe80::1', '2001:db8::ff')),
      port: fc.integer({ min: 1, max: 65535 }),
      database: fc.oneof(name, fc.constant('')),
      parameters: parametersOf(type),
    },
    { requiredKeys: ['type', 'host', 'database', 'parameters'], noNullPrototype: true },
  ),
);
const file = fc.record(
  {
    type: fc.constant('sqlite'),
    database: fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
    parameters: parametersOf('sqlite'),
  },
  { noNullPrototype: true },
);
const connectionUri: fc.Arbitrary<ConnectionUri> = fc.oneof(network, file);
