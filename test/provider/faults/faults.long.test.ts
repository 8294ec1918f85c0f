import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { before, beforeEach, describe, it } from 'node:test';
import { problemBody } from '@rolecall/api';
import { createKey } from '@rolecall/server';
import { requires } from '../../support/databases/parts.ts';
import { listenOn } from '../../support/relay.ts';
import { everything } from '../support/everything.ts';
import { people } from '../support/people.ts';
import { startThroughFaults } from '../support/survive.ts';
import { startTerraform, useTerraform } from '../support/terraform.ts';

describe('the provider, when something is wrong', requires('terraform'), () => {
  const terraform = useTerraform();
  const provider = (settings: string) => `provider "rolecall" {\n${settings}\n}\n`;
  /** The errors of a plan, each as one line. */
  const errorsOf = (hcl: string, args = ['plan']): Promise<string[]> => {
    terraform.configure(hcl);
    return terraform.errorsOf(args);
  };

  /** Each of another collection than people. */
  const others = `resource "rolecall_role" "one" {
  name = "one"
}
resource "rolecall_data_source" "one" {
  name  = "One"
  alias = "one"
  uri   = "sqlite:///data/one.db"
}
`;
  before(async () => {
    await terraform.converge(people(12));
  });
  beforeEach(() => {
    terraform.workspace.proxy.intercept = () => Promise.resolve(undefined);
  });

  it('says once, naming the argument, that the key, the URL or the file is wrong', async () => {
    const closed = await closedPort();
    const wrong: [string, RegExp][] = [
      [
        'key_secret = "wrong"',
        /The workspace refuses the API key .* answered 401: the API key is [^@]*key_id and key_secret[^@]*$/,
      ],
      ['key_id = "a:b"', /key_id contains a colon/],
      ['url = "workspace.example.com"', /url/],
      [
        `max_retries = 1\nurl = "http://127.0.0.1:${closed}"`,
        /The workspace cannot be reached.*is running\. The provider's url is http:\/\/127/,
      ],
      [
        `url = "${terraform.workspace.url}/behind"`,
        /The url leads to no workspace.*the provider's url, which is http:.*\/behind/,
      ],
      ['ca_file = "nowhere.pem"', /ca_file nowhere\.pem cannot be read/],
      ['max_removal_percent = 250', /max_removal_percent must be a number from 0 to 100/],
    ];
    for (const [settings, message] of wrong) {
      const errors = await errorsOf(provider(settings) + people(12) + others);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors[0] ?? '', message);
    }
  });

  it('says nothing but that of what a plan would create, and of what refers to it', async () => {
    const wrong: [string, RegExp][] = [
      ['key_secret = "wrong"', /The workspace refuses the API key/],
      [`max_retries = 1\nurl = "http://127.0.0.1:${await closedPort()}"`, /The workspace cannot be reached/],
    ];
    for (const [settings, message] of wrong) {
      const errors = await errorsOf(provider(settings) + everything('first') + people(12) + others);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors[0] ?? '', message);
    }
  });

  it('says once that a server is not the service: a page in HTML, another API, or a redirect', async () => {
    const answers: [number, Record<string, string>, RegExp][] = [
      [200, { 'content-type': 'text/html' }, /The answer is not from a Rolecall workspace.*Correct the provider's url/],
      [404, { 'content-type': 'application/json' }, /The answer is not from a Rolecall workspace/],
      [
        302,
        { location: 'https://login.example.com/' },
        /The answer is not from a Rolecall workspace.*a redirect to https:.*Correct the provider's url/,
      ],
    ];
    for (const [status, headers, message] of answers) {
      const server = createServer((_request, response) =>
        response.writeHead(status, headers).end('<html>Sign in</html>'),
      );
      const port = await listen(server);
      const errors = await errorsOf(provider(`url = "http://127.0.0.1:${port}"`) + people(12));
      server.closeAllConnections();
      server.close();
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors[0] ?? '', message);
    }
  });

  it('says once that the service is there and cannot work: without its store, or with a fault of its own', async () => {
    const faults = [
      ['unavailable', 503],
      ['too_many_requests', 429],
      ['internal_error', 500],
    ] as const;
    for (const [code, status] of faults) {
      let requests = 0;
      terraform.workspace.proxy.intercept = () => {
        requests += 1;
        const body = problemBody(code, 'not at the moment', { requestId: `request-${requests}` });
        return Promise.resolve({
          status,
          headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
          body: JSON.stringify(body),
        });
      };
      const errors = await errorsOf(provider('max_retries = 1') + everything('first') + people(12) + others);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors[0] ?? '', /The workspace cannot answer.*not at the moment.*The provider's url is http:/);
      assert.ok(requests <= 20, `${requests} requests`);
    }
  });

  it('says that the key may only read, and changes nothing in the state', async () => {
    const { dataDir } = terraform.workspace;
    const key = await createKey({ dataDir, environment: {}, scope: 'read' });
    const settings = provider(`key_id = "${key.id}"\nkey_secret = "${key.secret}"`);
    const errors = await errorsOf(settings + people(13), ['apply', '-auto-approve']);
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', /The API key may not do this.*a key with the scope write/);
    terraform.configure(people(13));
    assert.match((await terraform.run(['plan'])).output, /1 to add/);
  });

  it('says once that the key has expired, or was revoked', async () => {
    const { dataDir } = terraform.workspace;
    const expiresAt = new Date(Date.now() + 4000);
    const key = await createKey({ dataDir, environment: {}, scope: 'admin', expiresAt });
    const settings = provider(`key_id = "${key.id}"\nkey_secret = "${key.secret}"`);
    while (Date.now() <= expiresAt.getTime()) await new Promise((resolve) => setTimeout(resolve, 100));
    const errors = await errorsOf(settings + people(12));
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.match(errors[0] ?? '', /The workspace refuses the API key.*key_id and key_secret.*expired or been revoked/);
  });

  it('waits for answers that are slow', async () => {
    terraform.workspace.proxy.intercept = async () => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      return undefined;
    };
    await terraform.converge(people(13));
    await terraform.converge(people(12));
    await terraform.assertNoChanges();
  });

  it('names what is missing when nothing is configured', async () => {
    terraform.configure(`provider "rolecall" {\n  url = ""\n}\n${people(12)}`);
    await terraform.refuses(['plan'], /The provider's url is missing/, /ROLECALL_URL/);
  });

  it('tries again what is refused for a moment, by the service or by a proxy', async () => {
    for (const [index, status] of [429, 502, 503, 504].entries()) {
      const failed = new Set<string>();
      terraform.workspace.proxy.intercept = (call) => {
        if (failed.has(call)) return Promise.resolve(undefined);
        failed.add(call);
        if (status > 500) return Promise.resolve({ status, headers: { 'content-type': 'text/html' }, body: '<html>' });
        return Promise.resolve({
          status,
          headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
          body: JSON.stringify(problemBody('too_many_requests', 'too many requests')),
        });
      };
      await terraform.converge(provider('adopt = false') + people(13 + index));
      assert.ok(failed.has('POST /api/v2/person'));
    }
    terraform.workspace.proxy.intercept = () => Promise.resolve(undefined);
    await terraform.assertNoChanges();
    assert.equal((await terraform.call('listPeople', {})).length, 16);
    await terraform.converge(people(12));
  });

  it('gives up after max_retries, and after request_timeout', async () => {
    let calls = 0;
    terraform.workspace.proxy.intercept = () => {
      calls += 1;
      return Promise.resolve({ status: 503, headers: { 'content-type': 'text/html' }, body: '<html>' });
    };
    const [error] = await errorsOf(provider('max_retries = 2') + people(12));
    assert.match(error ?? '', /The workspace cannot be reached.*\(attempt 3\).*status 503/);
    assert.equal(calls, 3);
    terraform.workspace.proxy.intercept = () =>
      Promise.resolve({ status: 429, headers: { 'content-type': 'text/html', 'retry-after': '3600' }, body: '<html>' });
    const [limited] = await errorsOf(people(12));
    assert.match(
      limited ?? '',
      /The workspace cannot be reached.*lets no more requests through for now; try again later/,
    );
    assert.doesNotMatch(limited ?? '', /Correct the provider's url|Check that the service runs/);
    terraform.workspace.proxy.intercept = () => new Promise(() => undefined);
    const [late] = await errorsOf(provider('max_retries = 0\nrequest_timeout = 1') + people(12));
    assert.match(late ?? '', /The workspace cannot be reached.*1000 ms.*, or raise request_timeout\./);
  });

  it('makes nothing twice when terraform is killed half-way, and goes on from there', async () => {
    let posts = 0;
    const killed = new Promise<void>((resolve) => {
      terraform.workspace.proxy.intercept = (call) => {
        if (call === 'POST /api/v2/person') posts += 1;
        if (posts === 3) {
          started.child.kill('SIGKILL');
          resolve();
        }
        return Promise.resolve(undefined);
      };
    });
    terraform.configure(people(24));
    const started = terraform.start(['apply', '-auto-approve', '-parallelism=2', '-lock=false']);
    await killed;
    await started.finished;
    terraform.workspace.proxy.intercept = () => Promise.resolve(undefined);
    const there = (await terraform.call('listPeople', {})).length;
    assert.ok(there > 12 && there < 24, `${there} people`);
    const output = await terraform.apply('-lock=false');
    assert.match(output, /Adopts the person p/);
    assert.equal((await terraform.call('listPeople', {})).length, 24);
    await terraform.assertNoChanges();
    await terraform.must(['apply', '-auto-approve', '-lock=false']);
  });

  it('refuses to remove too much at once, and lets one command through that says so', async () => {
    const errors = await errorsOf('');
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.match(errors[0] ?? '', /Too many people would be removed.*ROLECALL_MAX_REMOVAL_PERCENT/);
    const before = (await terraform.call('listPeople', {})).length;
    await terraform.converge(people(before - 2));
    assert.equal((await terraform.call('listPeople', {})).length, before - 2);
    await terraform.converge(provider('max_removal_percent = 100'));
    assert.equal((await terraform.call('listPeople', {})).length, 0);
  });
});

describe('an apply whose answers are lost', requires('terraform'), () => {
  it('ends as it should, though each call that writes was cut once after it was done, and adopts nothing', async () => {
    let cuts = 0;
    let isCut = false;
    await using run = await startThroughFaults(() => {
      isCut = !isCut;
      cuts += Number(isCut);
      return isCut ? Promise.reject(new Error('cut')) : Promise.resolve();
    });
    const { terraform } = run;
    const output = await terraform.converge(notAdopting + everything('first'), '-parallelism=1');
    assert.ok(cuts >= 8, `${cuts} cuts`);
    assert.doesNotMatch(output, /Adopts/);
    await terraform.assertNoChanges();
  });

  it('goes on when the service is back, and makes nothing twice', async () => {
    await using run = await startThroughFaults(() => Promise.resolve());
    const { terraform, proxy } = run;
    terraform.configure(notAdopting + people(20));
    proxy.arm({ kind: 'stop after', after: 5 });
    const applied = terraform.apply();
    while (proxy.writes() <= 5) await new Promise((resolve) => setTimeout(resolve, 10));
    setTimeout(() => {
      proxy.arm(undefined);
    }, 1000);
    await applied;
    assert.equal((await terraform.call('listPeople', {})).length, 20);
    await terraform.assertNoChanges();
  });

  const notAdopting = 'provider "rolecall" {\n  adopt = false\n}\n';
});

describe('two workspaces by alias', requires('terraform'), () => {
  it('are kept apart', async () => {
    await using one = await startTerraform();
    await using other = await startTerraform();
    const { env } = other.workspace;
    one.configure(`
provider "rolecall" {
  alias      = "other"
  url        = "${env['ROLECALL_URL'] ?? ''}"
  key_id     = "${env['ROLECALL_KEY_ID'] ?? ''}"
  key_secret = "${env['ROLECALL_KEY_SECRET'] ?? ''}"
}
resource "rolecall_role" "here" {
  name = "here"
}
resource "rolecall_role" "there" {
  provider = rolecall.other
  name     = "there"
}`);
    await one.apply();
    await one.assertNoChanges();
    const names = await Promise.all(
      [one, other].map(async ({ workspace }) => (await workspace.client.call('listRoles', {})).map(({ name }) => name)),
    );
    assert.deepEqual(names, [['here'], ['there']]);
  });
});

async function listen(server: Server): Promise<number> {
  return listenOn(server);
}

async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
