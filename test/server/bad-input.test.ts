import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { bodyLimit } from '../../server/http/limits/limits.ts';
import { makers } from './support/make.ts';
import { assertFields, assertProblem } from './support/match.ts';
import { sendRaw } from './support/raw-http.ts';
import { basic, startTestService } from './support/service.ts';

const service = await startTestService();
const make = makers(service);
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const jsonType = { 'content-type': 'application/json' };
const ada = { name: 'Ada', username: 'ada', email: 'ada@example.com' };

const post = (body: string | Uint8Array, headers: Record<string, string> = formType, path = '/person') =>
  service.call('POST', path, { body, headers });

describe('a name', () => {
  it('that looks like another one is refused, whatever it names', async () => {
    const snippet = {
      name: 'Zoë',
      description: '',
      text: 'x',
      isLocked: 'false',
      publicAccessLevel: 'none',
      owner: 'none',
    };
    for (const bad of ['Zoe\u0308', 'Zo\u200bë', '\u202eZoë']) {
      assertFields(await service.call('POST', '/person', { form: { ...ada, username: bad } }), 422, 'invalid_fields', [
        'username',
      ]);
      assertFields(await service.call('POST', '/person', { form: { ...ada, name: bad } }), 422, 'invalid_fields', [
        'name',
      ]);
      assertFields(await service.call('POST', '/role', { form: { name: bad } }), 422, 'invalid_fields', ['name']);
      const source = { name: bad, alias: bad, configUri: 'postgresql://db.example.com/x' };
      assertFields(await service.call('POST', '/data-source', { form: source }), 422, 'invalid_fields', [
        'name',
        'alias',
      ]);
      assertFields(await service.call('POST', '/snippet', { form: { ...snippet, name: bad } }), 422, 'invalid_fields', [
        'name',
      ]);
    }
  });
});

describe('a form', () => {
  it('that gives a field twice is malformed, and the field is named', async () => {
    const answer = await post('name=Ada&username=ada&username=eve&email=ada%40example.com');
    assertFields(answer, 400, 'malformed_request', ['username']);
  });

  it('that is no percent-encoding of UTF-8 is malformed', async () => {
    for (const body of ['name=%', 'name=%zz', 'name=%e4', 'name=%c3%28', 'n%ffame=x', '%']) {
      assertProblem(await post(body), 400, 'malformed_request');
    }
    assertProblem(await post(Uint8Array.of(0x6e, 0x3d, 0xff)), 400, 'malformed_request');
  });

  it('with a field that is not known names it, and the one that may be meant', async () => {
    const answer = await post('name=Ada&usrname=ada&email=ada%40example.com');
    assertFields(answer, 422, 'invalid_fields', ['username', 'usrname']);
    assert.match(answer.text, /did you mean username/);
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      const strange = await service.call('POST', '/person', { form: { ...ada, [name]: 'x' } });
      assertFields(strange, 422, 'invalid_fields', [name]);
    }
  });

  it('may have plus for a space, empty pairs and characters that need no encoding', async () => {
    const person = await service.ok('POST', '/person', {
      body: '&name=Ada+L%C3%B6velace&&username=ada!*()&email=ada1@example.com&',
      headers: formType,
    });
    assert.equal(person['name'], 'Ada Lövelace');
    assert.equal(person['username'], 'ada!*()');
  });

  it('carries flags as true or false and numbers as digits, nothing else', async () => {
    const snippet = { name: 'x', description: '', text: 'x', publicAccessLevel: 'none', owner: 'none' };
    for (const isLocked of ['', '1', 'yes', 'TRUE', 'null']) {
      const answer = await service.call('POST', '/snippet', { form: { ...snippet, isLocked } });
      assertFields(answer, 422, 'invalid_fields', ['isLocked']);
    }
    const strings = await service.call('POST', '/snippet', { json: { ...snippet, isLocked: 'true' } });
    assertFields(strings, 422, 'invalid_fields', ['isLocked']);
  });
});

describe('a name', () => {
  it('must have something to see in it', async () => {
    const snippet = { description: '', text: 'x', isLocked: false, publicAccessLevel: 'none', owner: 'none' };
    for (const name of [' ', '   ', '\u00a0', '\u2003 ']) {
      const configUri = 'sqlite:///x.db';
      for (const [path, json, field] of [
        ['/person', { ...ada, name }, 'name'],
        ['/person', { ...ada, username: name }, 'username'],
        ['/role', { name }, 'name'],
        ['/data-source', { name, configUri }, 'name'],
        ['/data-source', { name: 'x', alias: name, configUri }, 'alias'],
        ['/snippet', { ...snippet, name }, 'name'],
      ] as const) {
        assertFields(await service.call('POST', path, { json }), 422, 'invalid_fields', [field]);
      }
    }
    assert.equal((await service.ok('POST', '/role', { json: { name: ' a ' } }))['name'], ' a ');
  });
});

describe('a JSON body', () => {
  it('that is not JSON is malformed', async () => {
    for (const body of ['{', '{"name":}', "{'name':1}", 'NaN', '{"a":1}x', '\ufeff{}', '[1,]']) {
      assertProblem(await post(body, jsonType), 400, 'malformed_request');
    }
    assertProblem(await post(Uint8Array.of(0x22, 0xff, 0x22), jsonType), 400, 'malformed_request');
  });

  it('that gives a field twice is malformed, however it is written', async () => {
    const body = String.raw`{"name":"a","email":"a@example.com","username":"a","us\u0065rname":"b"}`;
    assertFields(await post(body, jsonType), 400, 'malformed_request', ['username']);
    await service.ok('POST', '/person', {
      body: String.raw`{"name":"a \"name\": {\"name\":1}","email":"q@example.com","username":"name"}`,
      headers: jsonType,
    });
  });

  it('that is 10,000 deep is malformed', async () => {
    for (const body of [
      `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
      `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`,
    ]) {
      assertProblem(await post(body, jsonType), 400, 'malformed_request');
    }
  });

  it('that is not an object, or has fields of the wrong type, names them', async () => {
    for (const body of ['null', '[]', '1', '"x"'])
      assertFields(await post(body, jsonType), 422, 'invalid_fields', ['']);
    const wrong = await service.call('POST', '/person', { json: { name: 1, username: null, email: ['a'] } });
    assertFields(wrong, 422, 'invalid_fields', ['name', 'username', 'email']);
  });

  it('cannot reach prototypes', async () => {
    const answer = await post('{"__proto__":{"name":"x"},"constructor":{"prototype":{}}}', jsonType);
    assertFields(answer, 422, 'invalid_fields', ['name', 'username', 'email', '__proto__', 'constructor']);
    assert.equal(({} as Record<string, unknown>)['name'], undefined);
  });
});

describe('a body', () => {
  it('that is missing has each required field missing', async () => {
    const nothing = await service.call('POST', '/person');
    assertFields(nothing, 422, 'invalid_fields', ['name', 'username', 'email']);
    assertFields(await post(''), 422, 'invalid_fields', ['name', 'username', 'email']);
    assertFields(await post('{}', jsonType), 422, 'invalid_fields', ['name', 'username', 'email']);
  });

  it('of another type or character set is not taken', async () => {
    for (const type of [
      'text/plain',
      'multipart/form-data',
      'application/xml',
      'x',
      'application/json; charset=latin1',
    ]) {
      assertProblem(await post('{}', { 'content-type': type }), 415, 'unsupported_media_type');
    }
    const bytes = new TextEncoder().encode('{}');
    assertProblem(await service.call('POST', '/person', { body: bytes }), 415, 'unsupported_media_type');
    const zipped = await post('{}', { ...jsonType, 'content-encoding': 'gzip' });
    assertProblem(zipped, 415, 'unsupported_media_type');
  });

  it('may say that it is UTF-8', async () => {
    for (const [index, charset] of ['utf-8', 'UTF-8', '"utf-8"'].entries()) {
      const json = JSON.stringify({ ...ada, username: `utf${index}`, email: `utf${index}@example.com` });
      const headers = { 'content-type': `Application/JSON ; Charset=${charset}` };
      assert.equal((await post(json, headers)).status, 200);
    }
  });

  it('of more bytes than the limit is too large', async () => {
    const large = `name=${'x'.repeat(bodyLimit)}`;
    assertProblem(await post(large), 413, 'payload_too_large');
    const chunk = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`;
    const parts = [
      `POST /api/v2/person HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(service.keys.admin)}\r\n` +
        'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      ...Array.from({ length: bodyLimit / (64 * 1024) + 2 }, () => chunk),
    ];
    const answer = await sendRaw(service.url, parts, /"requestId":"[^"]+"}$/);
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /"code":"payload_too_large"/);
  });

  it('of more bytes than the limit may be sent to its end by who does not look for the answer before', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const length = 8 * bodyLimit;
    const send = promisify((part: string, done: (error?: Error | null) => void) => socket.write(part, done));
    await send(
      `POST /api/v2/person HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(service.keys.admin)}\r\n` +
        `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
    );
    for (let sent = 0; sent < length; sent += bodyLimit) await send('x'.repeat(bodyLimit));
    // The connection is as good as before.
    await send('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const answers = await text(socket);
    assert.match(answers, /^HTTP\/1\.1 413 .*"code":"payload_too_large".*HTTP\/1\.1 200 OK/s);
  });

  it('is refused by an operation that takes none, unless it is empty', async () => {
    const { id } = await make.person();
    for (const [method, path] of [
      ['PUT', `/person/${id}/lock`],
      ['DELETE', `/person/${id}/permission`],
      ['POST', '/query/0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007/cancel'],
    ] as const) {
      const refused = await service.call(method, path, { body: '{"a":1}', headers: jsonType });
      assertProblem(refused, 400, 'malformed_request');
      assert.match(refused.text, /takes no body/);
      for (const [body, headers] of [
        ['{}', jsonType],
        [' { } ', jsonType],
        ['', formType],
      ] as const) {
        assert.notEqual((await service.call(method, path, { body, headers })).status, 400);
      }
    }
    const get = await sendRaw(
      service.url,
      [
        `GET /api/v2/person HTTP/1.1\r\nhost: x\r\nauthorization: ${basic(service.keys.admin)}\r\ncontent-length: 3\r\n\r\nx=1`,
      ],
      /\}$/,
    );
    assert.match(get, /^HTTP\/1\.1 400 /);
  });
});

describe('a text', () => {
  it('with a NUL is invalid', async () => {
    for (const call of [{ form: { ...ada, name: 'a\0b' } }, { json: { ...ada, name: 'a\0b' } }]) {
      assertFields(await service.call('POST', '/person', call), 422, 'invalid_fields', ['name']);
    }
    const snippet = {
      name: 'x',
      description: '',
      text: 'a\0',
      isLocked: false,
      publicAccessLevel: 'none',
      owner: 'none',
    };
    assertFields(await service.call('POST', '/snippet', { json: snippet }), 422, 'invalid_fields', ['text']);
  });

  it('with half of a surrogate pair is invalid', async () => {
    const body = String.raw`{"name":"\ud800","username":"x","email":"x@example.com"}`;
    assertFields(await post(body, jsonType), 422, 'invalid_fields', ['name']);
  });

  it('that would begin a new line of a mail is invalid', async () => {
    for (const email of [
      'a@example.com\r\nBcc: eve@example.com',
      'a@example.com\n',
      'a@example.com, eve@example.com',
    ]) {
      assertFields(await service.call('POST', '/person', { form: { ...ada, email } }), 422, 'invalid_fields', [
        'email',
      ]);
    }
  });

  it('that is too long, empty or not of its form is invalid, and every field is named at once', async () => {
    const form = { name: '', username: 'x'.repeat(256), email: 'nobody' };
    const answer = await service.call('POST', '/person', { form });
    assertFields(answer, 422, 'invalid_fields', ['name', 'username', 'email']);
    await service.ok('POST', '/person', { json: { ...ada, username: '🚢'.repeat(255), email: 'ship@example.com' } });
  });
});

describe('a URL', () => {
  it('with an identifier of the wrong shape is malformed, and the parameter is named', async () => {
    for (const id of ['a%20b', 'a%2Fb', 'ä', 'a.b', 'x'.repeat(65), '%00', '..%2f..']) {
      assertFields(await service.call('GET', `/person/${id}`), 400, 'malformed_parameter', ['person']);
    }
    for (const id of ['%zz', '%e4', '%']) {
      assertProblem(await service.call('GET', `/person/${id}`), 400, 'malformed_parameter');
    }
    const wrong = await service.call('PUT', '/role/a%20b/person/c%20d');
    assertFields(wrong, 400, 'malformed_parameter', ['role', 'person']);
  });

  it('with a query string that the operation does not take is malformed, and the parameter is named', async () => {
    for (const path of ['/person?limit=1', '/person/x?limit=1', '/role?limit']) {
      assertFields(await service.call('GET', path), 400, 'malformed_parameter', ['limit']);
    }
    assertProblem(await service.call('GET', '/person?%zz=1'), 400, 'malformed_parameter');
    assert.equal((await service.call('GET', '/person?')).status, 200);
  });

  it('that is too long is refused', async () => {
    assertProblem(await service.call('GET', `/person/${'x'.repeat(2000)}`), 414, 'uri_too_long');
    assertProblem(await service.call('GET', `/${'x'.repeat(10_000)}`), 404, 'not_found');
  });

  it('that nothing answers to is not found', async () => {
    for (const path of ['/people', '/person/x/y', '/api/v1/person', '/API/v2/person']) {
      assertProblem(await service.call('GET', path), 404, 'not_found');
    }
  });
});

describe('a method', () => {
  it('that a path does not take is refused, with those that it takes', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/person', 'GET, HEAD, POST'],
      ['PATCH', '/person', 'GET, HEAD, POST'],
      ['PUT', '/person/x', 'DELETE, GET, HEAD, PATCH'],
      ['OPTIONS', '/person', 'GET, HEAD, POST'],
      ['GET', '/person/x/lock', 'PUT'],
      ['DELETE', '/snippet/x/version/y', 'GET, HEAD, POST, PUT'],
      ['PROPFIND', '/role', 'GET, HEAD, POST'],
    ] as const) {
      const answer = await service.call(method, path);
      assertProblem(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
    const head = await service.call('HEAD', '/person/x/lock');
    assert.equal(head.status, 405);
    assert.equal(head.headers.get('allow'), 'PUT');
    for (const method of ['TRACE', 'QUERY']) {
      const raw = await sendRaw(service.url, [`${method} /api/v2/person HTTP/1.1\r\nhost: x\r\n\r\n`], /\}$/);
      assert.match(raw, /^HTTP\/1\.1 405 [^]*allow: GET, HEAD, POST/);
    }
  });
});

describe('what is not HTTP', () => {
  it('gets a well-formed answer', async () => {
    for (const [text, status, code] of [
      ['hello\r\n\r\n', 400, 'malformed_request'],
      ['GET /api/v2/person HTTP/9.9\r\n\r\n', 400, 'malformed_request'],
      ['GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'malformed_request'],
      ['GET /api/v2/person HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
      ['GET /api/v2/person HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', 400, 'malformed_request'],
      ['GET /healthz HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n', 400, 'malformed_request'],
      ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n', 400, 'malformed_request'],
      [
        'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n',
        400,
        'malformed_request',
      ],
      [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ] as const) {
      const raw = await sendRaw(service.url, [text], /\}$/);
      assert.match(raw, new RegExp(`^HTTP/1\\.1 ${status} `), `${text.slice(0, 50)}: ${raw}`);
      assert.match(raw, /content-type: application\/problem\+json/i);
      const [head = '', body = ''] = raw.split('\r\n\r\n');
      assert.equal((JSON.parse(body) as { code: string }).code, code);
      assert.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]), Buffer.byteLength(body));
    }
  });

  const ambiguous: Record<string, string> = {
    ...Object.fromEntries(
      [
        ...['identity, chunked', 'gzip, chunked', 'chunked, chunked', 'trailers, chunked', ',chunked', 'chunked,'],
        ...[
          'x, chunked',
          'chunked, identity',
          'identity',
          'gzip',
          '"chunked"',
          'chunked;a=b',
          'xchunked',
          '\x0bchunked',
          '',
        ],
        ...['identity\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding: identity', '\r\n chunked'],
        ...['chunked\r\nContent-Length: 31', 'chunked\r\nContent-Length: 0', '\tchunked\r\n\tx'],
      ].map((coding) => [`Transfer-Encoding: ${coding}`, `HTTP/1.1\r\nTransfer-Encoding: ${coding}`]),
    ),
    ...Object.fromEntries(
      [
        '15\r\nContent-Length: 15',
        '15, 15',
        '15\r\nContent-Length: 0',
        '+15',
        '0xf',
        '-15',
        '1 5',
        '',
        '15a',
        '1e1',
      ].map((length) => [`Content-Length: ${length}`, `HTTP/1.1\r\nContent-Length: ${length}`]),
    ),
    'a space before the colon': 'HTTP/1.1\r\nTransfer-Encoding : chunked',
    'a folded line': 'HTTP/1.1\r\nX-A: b\r\n c\r\nTransfer-Encoding: chunked',
    'a line that ends without CR': 'HTTP/1.1\r\nX-A: b\nTransfer-Encoding: chunked',
    'a CR alone': 'HTTP/1.1\r\nX-A: b\rTransfer-Encoding: chunked',
    'chunks in HTTP/1.0': 'HTTP/1.0\r\nTransfer-Encoding: chunked',
    'the start of HTTP/2': 'HTTP/2.0\r\nContent-Length: 15',
  };
  for (const [what, head] of Object.entries(ambiguous)) {
    it(`is refused with its connection where proxies could see another end of the body: ${JSON.stringify(what)}`, async () => {
      const name = `smuggled${crypto.randomUUID().slice(0, 4)}`;
      const make = [`Host: x`, `Authorization: ${basic(service.keys.admin)}`, 'Content-Type: application/json'].join(
        '\r\n',
      );
      const body = `{"name":"${name}"}`;
      const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const next = `POST /api/v2/role HTTP/1.1\r\n${make}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const [version = '', ...rest] = head.split('\r\n');
      const first = `POST /api/v2/role ${version}\r\n${make}\r\n${rest.join('\r\n')}\r\n\r\n`;
      const answer = await sendRaw(service.url, [`${first}${/Transfer/.test(head) ? chunk : body}${next}`]);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.equal(answer.match(/HTTP\/1\.1 \d/g)?.length, 1, 'what follows is not answered');
      const roles = await service.ok<{ name: string }[]>('GET', '/role');
      assert.ok(!roles.some((role) => role.name === name));
    });
  }

  it('gets an answer on a connection that was used well before', async () => {
    const good = `GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n`;
    const raw = await sendRaw(service.url, [good, 'nonsense\r\n\r\n'], /malformed_request.*\}$/);
    assert.match(raw, /^HTTP\/1\.1 200 /);
    assert.match(raw, /HTTP\/1\.1 400 /);
  });

  it('an expectation is ignored that the service does not know', async () => {
    const raw = await sendRaw(service.url, ['GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\n\r\n'], /\}$/);
    assert.match(raw, /^HTTP\/1\.1 200 /);
  });
});
