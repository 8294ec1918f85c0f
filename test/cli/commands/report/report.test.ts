import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { root, runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type TestWorkspace, useWorkspace } from '../../support/workspace.ts';

const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString();

describe('rolecall report', () => {
  const workspace = useWorkspace();
  before(() => fill(workspace));

  const report = (...args: string[]) => runCommand(['report', ...args], { env: workspace.env });

  describe('access', () => {
    it('says who reaches what now, through what and until when', async () => {
      const { code, stdout, stderr } = await report('access');
      assert.deepEqual([code, stderr], [0, '']);
      const lines = stdout.split('\n');
      assert.match(lines[0] ?? '', /^person +data source +through +from +until$/);
      assert.match(lines[1] ?? '', /^=bob +stock +permission/);
      assert.match(lines[2] ?? '', /^ada +billing +role analysts +\S+Z +\(as long as in the role\)$/);
      assert.match(lines[3] ?? '', /^ +stock +permission +\S+Z +\S+Z$/);
      assert.match(lines.at(-2) ?? '', /^At \S+Z 2 people reach 2 data sources\.$/);
      assert.ok(!stdout.includes('tom'), 'who is locked reaches nothing');
    });

    it('answers for a person, a data source, a role and another moment', async () => {
      assert.match((await report('access', '--person', 'ADA')).stdout, /1 person reaches 2 data sources/);
      assert.match((await report('access', '--data-source', 'stock')).stdout, /2 people reach 1 data source\./);
      assert.doesNotMatch((await report('access', '--role', 'analysts')).stdout, /stock/);
      const later = await report('access', '--person', '=bob', '--at', days(20));
      assert.match(later.stdout, /^At \S+Z no one reaches what you asked for\.$/m);
    });

    it('shows past, coming and locked access when all is asked for', async () => {
      const { stdout } = await report('access', '--all', '--format', 'csv');
      const rows = stdout.split('\r\n');
      assert.equal(
        rows[0],
        'username,name,locked,data_source_alias,data_source_name,through,role,state,starts_at,expires_at,reason,owner',
      );
      const states = rows.slice(1, -1).map((row) => row.split(',').at(-5));
      assert.deepEqual([...new Set(states)].sort(), ['active', 'future', 'locked', 'past']);
    });

    it('writes no cell that a spreadsheet would run', async () => {
      const { stdout } = await report('access', '--format', 'csv');
      assert.match(stdout, /\r\n'=bob,"Bob, ""the"" builder",/);
    });

    it('prints JSON that fits its schema', async () => {
      const { stdout } = await report('access', '--all', '--format', 'json');
      const access = JSON.parse(stdout) as { access: { role?: string }[] };
      assert.deepEqual(schemaFaults('access-report', access), []);
      assert.equal(access.access.length, 6);
    });

    it('says why and who answers for it, where definitions do: a membership before its role', async () => {
      using folder = temporaryFolder();
      const file = path.join(folder.path, 'access.yaml');
      const head = (kind: string, name: string): string =>
        `apiVersion: rolecall.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\n`;
      const ofRole = `${head('Role', 'analysts')}spec: { reason: Monthly closing, owner: finance }\n`;
      const ofPerson = `${head('RoleMembership', 'ada')}spec: { role: analysts, person: ada, reason: "=ROTA-12" }\n`;
      writeFileSync(file, ofRole);
      const [, ofTheRole = ''] = (await report('access', file, '--role', 'analysts')).stdout.split('\n');
      assert.match(ofTheRole, /^ada +billing .* Monthly closing +finance$/);

      writeFileSync(file, `${ofRole}---\n${ofPerson}`);
      const { stdout } = await report('access', file, '--format', 'json');
      const document = JSON.parse(stdout) as { access: { role?: string; reason?: string; owner?: string }[] };
      assert.deepEqual(schemaFaults('access-report', document), []);
      assert.deepEqual(
        document.access.map(({ role, reason, owner }) => [role, reason, owner]),
        [
          [undefined, undefined, undefined],
          ['analysts', '=ROTA-12', 'finance'],
          [undefined, undefined, undefined],
        ],
      );
      const csv = (await report('access', file, '--format', 'csv')).stdout;
      assert.match(csv, /^ada,.*,'=ROTA-12,finance\r$/m);
    });

    it('costs one call', async () => {
      workspace.proxy.calls.length = 0;
      await report('access');
      assert.equal(workspace.proxy.calls.length, 1);
    });

    it('writes one page with all in it', async () => {
      using folder = temporaryFolder();
      const out = path.join(folder.path, 'access.html');
      const { code, stdout, stderr } = await report('access', '--format', 'html', '--out', out);
      assert.deepEqual([code, stdout, stderr], [0, '', '']);
      const html = readFileSync(out, 'utf8');
      assert.match(html, /^<!doctype html>/);
      assert.doesNotMatch(html, /\{\{/);
      assert.doesNotMatch(html, /(src|href)="(?!#|data:)/);
      assert.match(
        html,
        /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-/,
      );
      assert.deepEqual(readdirSync(folder.path), ['access.html']);
    });

    it('says what is not there, and what may be meant', async () => {
      const { code, stderr } = await report('access', '--person', 'adda');
      assert.equal(code, 1);
      assert.match(stderr, /the workspace has no person adda; did you mean ada\?/);
      assert.match((await report('access', '--at', 'noon')).stderr, /--at .*write it as in --at 2026-12-01T09:00:00Z/);
    });
  });

  describe('expiring', () => {
    it('ends with 2 when access ends within the window, and names it', async () => {
      const { code, stdout } = await report('expiring', '--within', '7d');
      assert.equal(code, 2);
      assert.match(
        stdout,
        /^ends +in +person +data source +since\n\S+Z +(2d 23h|3d) +=bob +stock +\S+Z\n\nUntil \S+Z access ends once\.\n$/,
      );
    });

    it('ends with 0 when nothing does', async () => {
      const { code, stdout } = await report('expiring', '--within', '1h');
      assert.equal(code, 0);
      assert.match(stdout, /^No one loses access until /);
    });

    it('prints JSON that fits its schema, and CSV', async () => {
      const { code, stdout } = await report('expiring', '--within', '60d', '--format', 'json');
      assert.equal(code, 2);
      const document = JSON.parse(stdout) as { endings: unknown[] };
      assert.deepEqual(schemaFaults('expiring-report', document), []);
      assert.equal(document.endings.length, 2);
      const csv = (await report('expiring', '--within', '60d', '--format', 'csv')).stdout;
      assert.match(csv, /^expires_at,starts_at,username,name,data_source_alias,data_source_name\r\n/);
    });

    it('notifies in its example of what ends, and of no error', async () => {
      const { stdout } = await report('expiring', '--help');
      const [, example = ''] = /\nExample:\n +(.*)\n/.exec(stdout) ?? [];
      const told = (code: number): string => {
        const script = `rolecall() { return ${code}; }; notify() { echo told; }; ${example}`;
        return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout;
      };
      assert.match(example, /^rolecall report expiring .*notify/);
      assert.deepEqual([told(0), told(1), told(2)], ['', '', 'told\n']);
    });

    it('explains how a window is written', async () => {
      assert.match((await report('expiring', '--within', 'soon')).stderr, /write it as in --within 7d/);
    });
  });
});

async function fill({ client }: TestWorkspace): Promise<void> {
  const person = (username: string, name: string) =>
    client.call('createPerson', { body: { username, name, email: `${name.length}@x.example` } });
  const [ada, bob, tom] = [
    await person('ada', 'Ada'),
    await person('=bob', 'Bob, "the" builder'),
    await person('tom', 'Tommy'),
  ];
  const source = (alias: string) =>
    client.call('createDataSource', { body: { alias, name: alias, configUri: `sqlite:///srv/${alias}.db` } });
  const [billing, stock] = [await source('billing'), await source('stock')];
  const role = await client.call('createRole', { body: { name: 'analysts' } });
  for (const { id } of [ada, tom]) await client.call('addRolePerson', { params: { role: role.id, person: id } });
  await client.call('addRoleDataSource', { params: { role: role.id, dataSource: billing.id } });
  await client.call('lockPerson', { params: { person: tom.id } });
  const grant = (who: { id: string }, from: number, length: number) =>
    client.call('createPermission', {
      params: { person: who.id, dataSource: stock.id },
      body: { startsAt: days(from), duration: length * 86_400 },
    });
  await grant(ada, -1, 31);
  await grant(bob, -1, 4);
  await grant(bob, -30, 10);
  await grant(tom, 5, 1);
}

function schemaFaults(name: string, document: unknown): unknown[] {
  const schema = JSON.parse(readFileSync(path.join(root, `docs/schemas/${name}.schema.json`), 'utf8')) as object;
  const ajv = new Ajv2020({ allErrors: true, strict: true });
  addFormats.default(ajv);
  const check = ajv.compile(schema);
  check(document);
  return check.errors ?? [];
}
