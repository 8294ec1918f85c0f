import type { Case } from './case.ts';
import { head, personText } from './support.ts';

const member = (name: string, role: string, person: string) =>
  `${head('RoleMembership', name)}spec:\n  role: ${role}\n  person: ${person}\n`;
const role = (name: string, spec = '') => `${head('Role', name)}spec:\n  name: ${name} role\n${spec}`;
const workspace = (name: string) => head('Workspace', name);
const snippet = (name: string, spec: string) => `${head('Snippet', name)}spec:\n${spec}`;

/** What can be wrong between documents and files. */
export const acrossCases: readonly Case[] = [
  {
    promise: 'the same kind and name twice names both places',
    input: { 'a.yaml': personText('ada'), 'b.yaml': `---\n${personText('ada')}` },
    problems: [
      {
        code: 'definition_duplicate',
        file: 'b.yaml',
        at: '5:9',
        path: 'metadata.name',
        message: /a\.yaml:1/,
        remedy: /Rename/,
      },
    ],
  },
  {
    promise: 'usernames and e-mail addresses are compared without their case',
    input: {
      'a.yaml': personText('ada'),
      'b.yaml': personText('lovelace', '  username: ADA\n').replace('lovelace@', 'Ada@'),
    },
    problems: [
      {
        code: 'object_duplicate',
        file: 'b.yaml',
        at: '7:10',
        path: 'spec.email',
        message: /Person ada at a\.yaml:1/,
        remedy: /Remove/,
      },
      {
        code: 'object_duplicate',
        file: 'b.yaml',
        at: '8:13',
        path: 'spec.username',
        message: /username ADA/,
        remedy: /Remove/,
      },
    ],
  },
  {
    promise: 'a role name that stands twice is found where it is a default too',
    input: `${head('Role', 'admins')}---\n${head('Role', 'others')}spec:\n  name: admins\n`,
    problems: [
      { code: 'object_duplicate', at: '11:9', path: 'spec.name', message: /role name admins/, remedy: /Remove/ },
    ],
  },
  {
    promise: 'memberships are compared after their references are resolved',
    input: `${role('admins')}---\n${personText('ada')}---\n${member('one', 'admins', 'ada')}---\n${member('two', 'admins role', 'ada')}`,
    problems: [
      {
        code: 'object_duplicate',
        at: '30:11',
        path: 'spec.person',
        message: /RoleMembership one at a\.yaml:16/,
        remedy: /Remove/,
      },
    ],
  },
  {
    promise: 'permissions are compared by their window in UTC',
    input: [
      '  startsAt: 2026-12-01T09:00:00Z\n  duration: 8h\n',
      '  startsAt: 2026-12-01T10:00:00+01:00\n  expiresAt: 2026-12-01T17:00:00Z\n',
    ]
      .map(
        (window, index) => `${head('Permission', `p${index}`)}spec:\n  person: ada\n  dataSource: billing\n${window}`,
      )
      .join('---\n'),
    problems: [
      {
        code: 'object_duplicate',
        at: '16:11',
        path: 'spec.person',
        message: /permission of ada for billing/,
        remedy: /Remove/,
      },
    ],
  },
  {
    promise: 'snippets are compared within their owner',
    input: ['a', 'b', 'c']
      .map((name) => snippet(name, `  name: top\n  text: select 1\n${name === 'c' ? '' : '  owner: { role: r }\n'}`))
      .join('---\n'),
    problems: [
      { code: 'object_duplicate', at: '15:9', path: 'spec.name', message: /snippet top of role r/, remedy: /Remove/ },
    ],
  },
  {
    promise: 'a reference that is nearly a declared name is a warning',
    input: `${personText('grace')}---\n${role('admins', '  people: [garce, somebody-else]\n')}`,
    problems: [
      {
        code: 'reference_close',
        severity: 'warning',
        at: '15:12',
        path: 'spec.people[0]',
        remedy: /Did you mean grace\?/,
      },
    ],
  },
  {
    promise: 'a reference to a definition that is wrong is no slip of the pen',
    input: `${personText('grace')}---\n${personText('gracy', '  lockd: true\n')}---\n${role('admins', '  people: [gracy]\n')}`,
    problems: [{ code: 'field_unknown', at: '16:3', path: 'spec.lockd', remedy: /locked/ }],
  },
  {
    promise: 'a reference that could mean two objects is a warning',
    input: [
      personText('ada', '  username: zoe\n'),
      personText('countess', '  username: ada\n'),
      role('admins', '  people: [ada]\n'),
    ].join('---\n'),
    problems: [
      {
        code: 'reference_ambiguous',
        severity: 'warning',
        at: '25:12',
        path: 'spec.people[0]',
        remedy: /write countess/,
      },
    ],
  },
  {
    promise: 'one person by two names in one list is found',
    input: `${personText('ada', '  username: lovelace\n')}---\n${role('admins', '  people: [ada, lovelace]\n')}`,
    problems: [
      { code: 'item_duplicate', at: '16:17', path: 'spec.people[1]', message: /same Person as ada/, remedy: /Remove/ },
    ],
  },
  {
    promise: 'a workspaceRef must name a declared Workspace',
    input: `${workspace('production')}---\n${role('r', '  workspaceRef: producton\n')}`,
    problems: [
      { code: 'workspace_unknown', at: '12:17', path: 'spec.workspaceRef', remedy: /Did you mean production\?/ },
    ],
  },
  {
    promise: 'with several Workspaces the choice must be written',
    input: `${workspace('production')}---\n${workspace('staging')}---\n${role('r')}`,
    problems: [
      {
        code: 'workspace_ambiguous',
        at: '15:1',
        path: 'spec.workspaceRef',
        message: /a\.yaml:1.*a\.yaml:6/,
        remedy: /production, staging/,
      },
    ],
  },
  {
    promise: 'objects of different Workspaces do not collide',
    input: `${workspace('production')}---\n${workspace('staging')}---\n${role('r', '  workspaceRef: staging\n')}---\n${role('s', '  workspaceRef: production\n').replace('s role', 'r role')}`,
    problems: [],
  },
  {
    promise: 'a file that a snippet or a password names must be there',
    input: {
      'team/a.yaml': `${snippet('s', '  textFrom: { file: top.sql }\n')}---\n${head('DataSource', 'd')}spec:\n  uri: mysql://u@localhost/b\n  passwordFrom: { file: no-password }\n`,
    },
    problems: [
      {
        code: 'text_file',
        file: 'team/a.yaml',
        at: '6:21',
        path: 'spec.textFrom.file',
        message: /names team\/top\.sql, which cannot be read: no such file/,
        remedy: /relative to the folder/,
      },
      {
        code: 'text_file',
        file: 'team/a.yaml',
        at: '14:25',
        path: 'spec.passwordFrom.file',
        remedy: /Correct the path/,
      },
    ],
  },
  {
    promise: 'a text file must be a text of the right length',
    input: {
      'a.yaml': ['empty', 'binary', 'folder', 'big', 'long']
        .map((name) => snippet(name, `  textFrom: { file: ${name}.sql }\n`))
        .join('---\n'),
      'empty.sql': '',
      'binary.sql': Uint8Array.of(0x61, 0xff),
      'folder.sql/x': '',
      'big.sql': 'x'.repeat(800_004),
      'long.sql': 'x'.repeat(200_001),
    },
    problems: [
      { code: 'text_file', at: '6:21', path: 'spec.textFrom.file', message: /is empty/, remedy: /Correct/ },
      { code: 'text_file', at: '13:21', path: 'spec.textFrom.file', message: /not UTF-8 at byte 1/, remedy: /Correct/ },
      { code: 'text_file', at: '20:21', path: 'spec.textFrom.file', message: /not a file/, remedy: /Correct/ },
      {
        code: 'text_file',
        at: '27:21',
        path: 'spec.textFrom.file',
        message: /more than 200,000 characters/,
        remedy: /Correct/,
      },
      {
        code: 'text_file',
        at: '34:21',
        path: 'spec.textFrom.file',
        message: /has 200,001 characters/,
        remedy: /Correct/,
      },
    ],
  },
  {
    promise: 'a ConfigMap and its key must be there',
    input: `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: sql }\ndata: { top.sql: select 1 }\n---\n${snippet('a', '  textFrom: { configMapKeyRef: { name: sql, key: topp.sql } }\n')}---\n${snippet('b', '  textFrom: { configMapKeyRef: { name: other, key: top.sql } }\n')}`,
    problems: [
      { code: 'config_map', at: '11:50', path: 'spec.textFrom.configMapKeyRef.key', remedy: /Did you mean top\.sql\?/ },
      { code: 'config_map', at: '18:40', path: 'spec.textFrom.configMapKeyRef.name', remedy: /textFrom\.file/ },
    ],
  },
  {
    promise: 'a username that looks like another is a warning that names both, by their code points',
    input: [
      personText('ada'),
      personText('second', '  username: \u0430da\n'),
      personText('third', '  username: Jos\u00e9\n'),
      personText('fourth', '  username: jos\u0435\u0301\n'),
      `${head('Role', 'ada')}spec: {}\n`,
      `${head('Role', 'bam')}spec: {}\n`,
      `${head('Role', 'barn')}spec: {}\n`,
    ].join('---\n'),
    problems: [
      {
        severity: 'warning',
        code: 'look_alike',
        at: '16:13',
        path: 'spec.username',
        message: /is "\u0430da" \(with U\+0430\), which looks like "ada" of Person ada at .*:1, and is another/,
        remedy: /same letters/,
      },
      {
        severity: 'warning',
        code: 'look_alike',
        at: '34:13',
        path: 'spec.username',
        message: /\(with U\+0435, U\+0301\), which looks like "Jos\u00e9" \(with U\+00E9\) of Person third/,
        remedy: /can tell apart/,
      },
    ],
  },
  {
    promise: 'data sources that leave the machine without checked TLS are named in one warning',
    input: [
      'postgresql://u@localhost/d',
      'postgresql://u@[::1]/d?sslmode=disable',
      'postgresql://u@db/d?sslmode=verify-full',
      'mysql://u@db/d?ssl-mode=verify_ca',
      'sqlite:///srv/d.db',
      'postgresql://u@db.internal/d',
      'mariadb://u@db/d?ssl-mode=disabled',
      'postgresql://u@localhost.example/d?sslmode=require',
    ]
      .map((uri, index) => `${head('DataSource', `d${index}`)}spec:\n  uri: ${uri}\n`)
      .join('---\n'),
    problems: [
      {
        severity: 'warning',
        code: 'tls_unchecked',
        at: '41:8',
        path: 'spec.uri',
        message:
          /db\.internal over TLS only where the server offers it, and its certificate is not checked; .* of d6, d7$/,
        remedy: /Add sslmode=verify-full to the URI/,
      },
    ],
  },
  {
    promise: 'a connection without any TLS is called so',
    input: `${head('DataSource', 'd')}spec:\n  uri: mariadb://u@db/d?ssl-mode=disabled\n`,
    problems: [
      {
        severity: 'warning',
        code: 'tls_unchecked',
        at: '6:8',
        path: 'spec.uri',
        message: /connects to db without TLS$/,
        remedy: /Add ssl-mode=verify_identity to the URI/,
      },
    ],
  },
  {
    promise: 'a reference that looks like a declared name is told from it by its code points',
    input: `${personText('adam')}---\n${head('Role')}spec: { people: [\u0430dam] }\n`,
    problems: [
      {
        severity: 'warning',
        code: 'reference_close',
        at: '13:18',
        path: 'spec.people[0]',
        message: /is "\u0430dam" \(with U\+0430\), which no Person here declares, but "adam" is declared/,
        remedy: /looked up/,
      },
    ],
  },
];
