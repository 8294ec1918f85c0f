import type { Case } from './case.ts';
import { head, personText } from './support.ts';

const permission = `${head('Permission')}spec:\n  person: ada\n  dataSource: billing\n`;
const source = `${head('DataSource')}spec:\n  uri: `;
const snippet = `${head('Snippet')}spec:\n`;
const workspace = `${head('Workspace')}spec:\n`;

/** What can be wrong with the fields of a spec. */
export const specCases: readonly Case[] = [
  {
    promise: 'everything that is wrong with a definition is reported',
    input: `${head('Person')}spec:\n  username: 2024\n  nam: x\n  email: foo\n  locked: "true"\n  deletionPolicy: Deleted\n`,
    problems: [
      {
        code: 'field_type',
        at: '6:13',
        path: 'spec.username',
        message: /text, but is the number 2024/,
        remedy: /"2024"/,
      },
      { code: 'field_unknown', at: '7:3', path: 'spec.nam', remedy: /Did you mean name\?/ },
      { code: 'field_value', at: '8:10', path: 'spec.email', message: /e-mail/, remedy: /ada@example.com/ },
      { code: 'field_type', at: '9:11', path: 'spec.locked', remedy: /Remove the quotation marks: write true/ },
      { code: 'field_value', at: '10:19', path: 'spec.deletionPolicy', remedy: /Did you mean Delete\?/ },
    ],
  },
  {
    promise: 'a reason and an owner are one line each, with a bound',
    input: `${head('Role')}spec:\n  reason: "two\\nlines"\n  owner: ${'x'.repeat(256)}\n`,
    problems: [
      { code: 'field_value', at: '6:11', path: 'spec.reason', message: /control/, remedy: /in one line/ },
      { code: 'field_value', at: '7:10', path: 'spec.owner', message: /256 characters/, remedy: /Shorten/ },
    ],
  },
  {
    promise: 'a selector names labels that can be, and at least one',
    input: `${head('Role', 'one')}spec:\n  dataSourceSelector:\n    matchLabels: {}\n---\n${head('Role', 'two')}spec:\n  dataSourceSelector:\n    matchLabels:\n      Tier!: gold\n      pci: true\n      team: a b\n---\n${head('Role', 'three')}spec:\n  dataSourceSelector:\n    matchExpressions: []\n`,
    problems: [
      {
        code: 'field_value',
        at: '7:18',
        path: 'spec.dataSourceSelector.matchLabels',
        message: /would select everything/,
        remedy: /as in matchLabels/,
      },
      {
        code: 'field_value',
        at: '16:14',
        path: 'spec.dataSourceSelector.matchLabels["Tier!"]',
        message: /not the key of a label/,
        remedy: /63 letters/,
      },
      {
        code: 'field_type',
        at: '17:12',
        path: 'spec.dataSourceSelector.matchLabels.pci',
        message: /must be text, but is the boolean true/,
        remedy: /"true"/,
      },
      {
        code: 'field_value',
        at: '18:13',
        path: 'spec.dataSourceSelector.matchLabels.team',
        message: /not the value of a label/,
        remedy: /63 letters/,
      },
      { code: 'field_missing', at: '25:3', path: 'spec.dataSourceSelector.matchLabels', remedy: /Add matchLabels/ },
      {
        code: 'field_unknown',
        at: '26:5',
        path: 'spec.dataSourceSelector.matchExpressions',
        remedy: /Remove it/,
      },
    ],
  },
  {
    promise: 'a selector that selects nothing is a warning, since the role then reaches only what it lists',
    input: `${head('Role')}spec:\n  dataSourceSelector:\n    matchLabels: { tier: gold }\n---\n${head('DataSource')}spec:\n  uri: sqlite:///srv/x.db\n`,
    problems: [
      {
        code: 'selector_empty',
        severity: 'warning',
        at: '6:3',
        path: 'spec.dataSourceSelector',
        remedy: /name the files/,
      },
    ],
  },
  {
    promise: 'a selector without any data source to select from is an error, since the role would lose what it has',
    input: `${head('Role')}spec:\n  dataSourceSelector:\n    matchLabels: { tier: gold }\n`,
    problems: [
      { code: 'selector_empty', at: '6:3', path: 'spec.dataSourceSelector', message: /lose/, remedy: /name the files/ },
    ],
  },
  {
    promise: 'letters that changed places are one slip',
    input: `${head('Person')}spec:\n  nmae: Ada\n  emial: ada@example.com\n`,
    problems: [
      { code: 'field_unknown', at: '6:3', path: 'spec.nmae', remedy: /Did you mean name\?/ },
      { code: 'field_unknown', at: '7:3', path: 'spec.emial', remedy: /Did you mean email\?/ },
    ],
  },
  {
    promise: 'a field that is missing is named with what it is for',
    input: `${head('Person')}spec:\n  email: ada@example.com\n`,
    problems: [{ code: 'field_missing', at: '5:1', path: 'spec.name', remedy: /Add name\. The name that people see/ }],
  },
  {
    promise: 'yes for a boolean asks for true, as YAML 1.2 has it for text',
    input: personText('ada', '  locked: yes\n'),
    problems: [
      { code: 'field_type', at: '8:11', path: 'spec.locked', remedy: /Write true: in YAML 1\.2, yes is text/ },
    ],
  },
  {
    promise: 'a dash without a space in a list asks for the space',
    input: `${head('Role')}spec:\n  people:\n    -ada\n    - ben\n`,
    problems: [{ code: 'field_type', at: '7:5', path: 'spec.people', remedy: /space after each dash/ }],
  },
  {
    promise: 'a name where a list is due is shown as one',
    input: `${head('Role')}spec:\n  people: ada\n`,
    problems: [{ code: 'field_type', at: '6:11', path: 'spec.people', remedy: /as in people: \[ada\]\./ }],
  },
  {
    promise: 'a colon without a space in a mapping asks for the space',
    input: 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata:\n  name:ada\n',
    problems: [{ code: 'field_type', at: '4:3', path: 'metadata', remedy: /space after each colon/ }],
  },
  {
    promise: 'a password without a space after its colon is not repeated',
    input: `${head('DataSource')}spec:\n  alias: b\n  uri: sqlite:///b.db\n  passwordFrom:\n    env:hunter2\n`,
    problems: [{ code: 'field_type', at: '9:5', path: 'spec.passwordFrom', remedy: /space after each colon/ }],
  },
  {
    promise: 'a dash without a space before a field is one error, at its own line',
    input: 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata:\n  -name: ada\n',
    problems: [{ code: 'field_unknown', at: '4:3', path: 'metadata["-name"]', remedy: /space after the dash/ }],
  },
  {
    promise: 'a no-break space before a field is named, and is one error',
    input: 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata:\n  name: r\n\u00a0 spec:\n  name: x\n',
    problems: [{ code: 'field_unknown', at: '5:1', path: '["\u00a0 spec"]', remedy: /plain spaces/ }],
  },
  {
    promise: 'fields that were not indented are one error',
    input: `${head('Person')}spec:\nname: Ada\nemail: ada@example.com\n`,
    problems: [
      { code: 'field_unknown', at: '6:1', path: 'name', message: /so does email/, remedy: /by two spaces, below spec/ },
    ],
  },
  {
    promise: 'a name that was not indented belongs to metadata',
    input: 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata:\nname: ada\n',
    problems: [{ code: 'field_unknown', at: '4:1', path: 'name', remedy: /below metadata/ }],
  },
  {
    promise: 'a spec inside of metadata is one error',
    input: `${head('Person')}  spec:\n    name: Ada\n    email: ada@example.com\n`,
    problems: [{ code: 'field_unknown', at: '5:3', path: 'metadata.spec', remedy: /beginning of the line/ }],
  },
  {
    promise: 'dashes where a mapping is due are to be removed',
    input: 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata:\n  - name: ada\n',
    problems: [{ code: 'field_type', at: '4:3', path: 'metadata', remedy: /Remove the dashes/ }],
  },
  {
    promise: 'white space around what something is called is named as such',
    input: `${head('Person')}spec:\n  name: "Ada "\n  username: " ada"\n  email: " ada@example.com "\n`,
    problems: [
      { code: 'field_value', at: '6:9', path: 'spec.name', message: /ends with white space/, remedy: /Remove/ },
      { code: 'field_value', at: '7:13', path: 'spec.username', message: /begins with white/, remedy: /Remove/ },
      { code: 'field_value', at: '8:10', path: 'spec.email', message: /begins and ends with/, remedy: /Remove/ },
    ],
  },
  {
    promise: 'a URI gets an example of the scheme that was written, and no regular expression',
    input: ['mysql://', 'sqlite://data', 'mariadb://u@h/d?ssl-mode=prefer', 'postgresql://u@h/d?connect_timeout=0']
      .map((uri, index) => `${source.replace(': x', `: x${index}`)}${uri}\n`)
      .join('---\n'),
    problems: [
      { code: 'field_value', at: '6:8', path: 'spec.uri', remedy: /as in mysql:\/\/user@host:3306\/database\.$/ },
      { code: 'field_value', at: '13:8', path: 'spec.uri', remedy: /as in sqlite:\/\/\/data\/reports\.db\.$/ },
      {
        code: 'field_value',
        at: '20:8',
        path: 'spec.uri',
        message: /has an invalid value for the parameter ssl-mode$/,
        remedy: /^Write one of disabled, preferred, required, verify_ca, verify_identity\. .*mariadb:\/\//,
      },
      { code: 'field_value', at: '27:8', path: 'spec.uri', remedy: /^Write whole seconds, from 1 to 9999\. / },
    ],
  },
  {
    promise: 'an empty address or URI is reported once',
    input: `${source}""\n---\n${workspace}  url: ""\n`,
    problems: [
      { code: 'field_value', at: '6:8', path: 'spec.uri', message: /is empty/, remedy: /^Write it as in postgresql:/ },
      { code: 'field_value', at: '13:8', path: 'spec.url', message: /is empty/, remedy: /remove the field/ },
    ],
  },
  {
    promise: 'a field like no other lists what is known',
    input: `${head('Role')}spec:\n  colour: red\n`,
    problems: [
      { code: 'field_unknown', at: '6:3', path: 'spec.colour', remedy: /Known fields: name, people, dataSources/ },
    ],
  },
  {
    promise: 'a list without value is not taken for an empty one',
    input: `${head('Role')}spec:\n  people:\n  dataSources: billing\n`,
    problems: [
      {
        code: 'field_type',
        at: '6:3',
        path: 'spec.people',
        message: /no value/,
        remedy: /Write \[\] for an empty list/,
      },
      {
        code: 'field_type',
        at: '7:16',
        path: 'spec.dataSources',
        message: /list, but is text/,
        remedy: /dataSources: \[/,
      },
    ],
  },
  {
    promise: 'items of lists are named by their position',
    input: `${head('Role')}spec:\n  people: [ada, grace, ada, 007, {}]\n`,
    problems: [
      { code: 'item_duplicate', at: '6:24', path: 'spec.people[2]', message: /repeats item \[0\]/, remedy: /Remove/ },
      { code: 'field_type', at: '6:29', path: 'spec.people[3]', remedy: /Quote it: "007"/ },
      { code: 'field_type', at: '6:34', path: 'spec.people[4]', message: /a mapping/, remedy: /Write one text/ },
    ],
  },
  {
    promise: 'a number where a time belongs is not told to be quoted',
    input: `${head('Permission')}spec:\n  { person: ada, dataSource: billing, expiresAt: 1800000000 }\n`,
    problems: [
      {
        ...{ code: 'field_type', at: '6:50', path: 'spec.expiresAt' },
        message: /must be text, but is the number 1800000000/,
        remedy: /^Write it as in 2026-/,
      },
    ],
  },
  {
    promise: 'a spec that is a list is an error',
    input: `${head('Role')}spec: [people]\n`,
    problems: [
      { code: 'field_type', at: '5:7', path: 'spec', message: /mapping, but is a list/, remedy: /fields below it/ },
    ],
  },
  {
    promise: 'a missing spec says which fields are missing',
    input: head('Person'),
    problems: [
      { code: 'field_missing', at: '1:1', path: 'spec.email', remedy: /Add email/ },
      { code: 'field_missing', at: '1:1', path: 'spec.name', remedy: /Add name/ },
    ],
  },
  {
    promise: 'control characters, NUL and halves of surrogate pairs are no names',
    input: personText('ada', '  username: "a\\tb"\n  workspaceRef: ""\n').replace('Somebody', '"\\0"'),
    problems: [
      { code: 'field_value', at: '6:9', path: 'spec.name', message: /NUL/, remedy: /Remove/ },
      { code: 'field_value', at: '8:13', path: 'spec.username', message: /control/, remedy: /one line/ },
      { code: 'field_value', at: '9:17', path: 'spec.workspaceRef', message: /empty/, remedy: /remove the field/ },
    ],
  },
  {
    promise: 'a password in a URI is refused and never repeated',
    input: `${source}postgresql://u:hunter2@db/billing\n`,
    problems: [{ code: 'password_in_uri', at: '6:8', path: 'spec.uri', remedy: /use passwordFrom/ }],
  },
  {
    promise: 'a URI that cannot be read is refused with the reason',
    input: `${source}oracle://db/billing\n`,
    problems: [
      { code: 'field_value', at: '6:8', path: 'spec.uri', message: /scheme oracle/, remedy: /postgresql:\/\/user/ },
    ],
  },
  {
    promise: 'passwordFrom takes exactly one source, and its value is never repeated',
    input: `${source}mysql://u@db/b\n  passwordFrom: { env: A, file: b }\n---\n${source.replace(': x', ': y')}mysql://u@db/b\n  passwordFrom: 4711\n`,
    problems: [
      { code: 'fields_exclusive', at: '7:17', path: 'spec.passwordFrom', message: /env and file/, remedy: /Keep one/ },
      {
        code: 'field_type',
        at: '15:17',
        path: 'spec.passwordFrom',
        message: /but is a number$/,
        remedy: /fields below/,
      },
    ],
  },
  {
    promise: 'a membership is of one person or one data source',
    input: `${head('RoleMembership')}spec: { role: r }\n---\n${head('RoleMembership', 'y')}spec: { role: r, person: a, dataSource: b }\n`,
    problems: [
      {
        code: 'fields_exclusive',
        at: '5:7',
        path: 'spec',
        message: /needs person or dataSource/,
        remedy: /person: ada/,
      },
      { code: 'fields_exclusive', at: '11:7', path: 'spec', message: /person and dataSource/, remedy: /Keep one/ },
    ],
  },
  {
    promise: 'a window needs an end or a length',
    input: permission,
    problems: [
      { code: 'fields_exclusive', at: '6:3', path: 'spec', message: /expiresAt or duration/, remedy: /duration: 8h/ },
    ],
  },
  {
    promise: 'a window that ends before it starts, or at once, is an error',
    input: ['09:00:00+01:00', '10:00:00+01:00']
      .map((end) => `${permission}  startsAt: 2026-12-01T09:00:00Z\n  expiresAt: 2026-12-01T${end}\n`)
      .join('---\n'),
    problems: [
      { code: 'window_invalid', at: '9:14', path: 'spec.expiresAt', remedy: /after 2026-12-01T09:00:00\.000Z/ },
      { code: 'window_invalid', at: '19:14', path: 'spec.expiresAt', remedy: /after 2026-12-01T09:00:00\.000Z/ },
    ],
  },
  {
    promise: 'a window ends within the years that can be written',
    input: `${permission}  startsAt: 9999-12-31T00:00:00Z\n  duration: 2d\n`,
    problems: [{ code: 'window_invalid', at: '9:13', path: 'spec.duration', message: /9999/, remedy: /shorter/ }],
  },
  {
    promise: 'a window is whole seconds',
    input: `${permission}  startsAt: 2026-12-01T09:00:00.5Z\n  expiresAt: 2026-12-01T10:00:00Z\n`,
    problems: [
      { code: 'window_invalid', at: '9:14', path: 'spec.expiresAt', message: /whole/, remedy: /same fraction/ },
    ],
  },
  {
    promise: 'a window is at most 3,153,600,000 seconds long',
    input: `${permission}  startsAt: 2026-12-01T00:00:00Z\n  expiresAt: 2127-01-01T00:00:00Z\n`,
    problems: [
      { code: 'window_invalid', at: '9:14', path: 'spec.expiresAt', message: /3,153,600,000/, remedy: /earlier/ },
    ],
  },
  {
    promise: 'a time without zone says how to write it',
    input: `${permission}  expiresAt: 2026-12-01 09:00:00\n`,
    problems: [{ code: 'field_value', at: '8:14', path: 'spec.expiresAt', remedy: /2026-12-01T09:00:00Z/ }],
  },
  {
    promise: 'a duration says how to write it',
    input: `${permission}  duration: 8 hours\n---\n${permission.replace(': x', ': y')}  duration: 1.5\n`,
    problems: [
      { code: 'field_value', at: '8:13', path: 'spec.duration', remedy: /8h, 90m, 1h30m/ },
      { code: 'field_type', at: '17:13', path: 'spec.duration', remedy: /8h/ },
    ],
  },
  {
    promise: 'a snippet needs exactly one text, and one owner at most',
    input: `${snippet}  textFrom: {}\n  owner: { person: ada, role: r }\n  publicAccessLevel: read-only\n`,
    problems: [
      { code: 'fields_exclusive', at: '6:13', path: 'spec.textFrom', remedy: /file: query.sql/ },
      { code: 'fields_exclusive', at: '7:10', path: 'spec.owner', remedy: /Keep one/ },
      { code: 'field_value', at: '8:22', path: 'spec.publicAccessLevel', remedy: /Did you mean read_only\?/ },
    ],
  },
  {
    promise: 'a workspace has an address without credentials',
    input: `${workspace}  url: https://key:secret@example.com\n`,
    problems: [{ code: 'field_value', at: '6:8', path: 'spec.url', message: /credentials/, remedy: /credentialsFrom/ }],
  },
  {
    promise: 'a workspace has an address that every path can be added to',
    input: `${workspace}  url: https://example.com/api/v2/\n`,
    problems: [{ code: 'field_value', at: '6:8', path: 'spec.url', message: /api\/v2/, remedy: /Remove \/api\/v2/ }],
  },
  {
    promise: 'a membership has one end, which is after its start, and only a person has a time in a role',
    input: [
      `${head('RoleMembership')}spec: { role: r, person: p, expiresAt: 2026-12-01T09:00:00Z, duration: 7d }\n`,
      `${head('RoleMembership').replace(/name: .*/, 'name: two')}spec: { role: r, person: p, startsAt: 2026-12-08T09:00:00Z, expiresAt: 2026-12-01T09:00:00Z }\n`,
      `${head('RoleMembership').replace(/name: .*/, 'name: three')}spec:\n  role: r\n  dataSource: d\n  duration: 7d\n`,
    ].join('---\n'),
    problems: [
      {
        code: 'fields_exclusive',
        at: '5:7',
        path: 'spec',
        message: /has expiresAt and duration/,
        remedy: /Keep one of them/,
      },
      {
        code: 'window_invalid',
        at: '11:72',
        path: 'spec.expiresAt',
        message: /is not after startsAt/,
        remedy: /Write a time after/,
      },
      {
        code: 'fields_exclusive',
        at: '20:13',
        path: 'spec.duration',
        message: /is for a person/,
        remedy: /Remove duration/,
      },
    ],
  },
  {
    promise: 'a list has at most so many items as fit into an object of a cluster',
    input: `${head('Role')}spec:\n  people: [${Array.from({ length: 10_001 }, (_none, index) => `p${index}`).join(', ')}]\n`,
    problems: [
      {
        code: 'field_value',
        at: '6:11',
        path: 'spec.people',
        message: /has 10,001 items, but may have at most 10,000/,
        remedy: /10,000/,
      },
    ],
  },
  {
    promise: 'the rails of a workspace have bounds',
    input: `${workspace}  exact: [roles, persons, roles]\n  rails: { maxRemovalPercent: 101, minimumRemoval: 0 }\n`,
    problems: [
      {
        code: 'field_value',
        at: '6:18',
        path: 'spec.exact[1]',
        remedy: /one of people, roles|Did you mean permissions/,
      },
      { code: 'item_duplicate', at: '6:27', path: 'spec.exact[2]', remedy: /Remove/ },
      { code: 'field_value', at: '7:31', path: 'spec.rails.maxRemovalPercent', remedy: /at most 100/ },
      { code: 'field_value', at: '7:52', path: 'spec.rails.minimumRemoval', remedy: /at least 1/ },
    ],
  },
  {
    promise: 'an override of a workspace has a day and a reason',
    input: `${workspace}  overrides:\n    - removal-share:access until tomorrow\n`,
    problems: [
      {
        code: 'field_value',
        at: '7:7',
        path: 'spec.overrides[0]',
        remedy: /until 2026-12-01 because it moves to finance/,
      },
    ],
  },
  {
    promise: 'items of a list of definitions are named by their position',
    input:
      'apiVersion: v1\nkind: List\nitems:\n  - apiVersion: rolecall.dev/v1alpha1\n    kind: Role\n    metadata: { name: r }\n    spec: { peple: [] }\n',
    problems: [{ code: 'field_unknown', at: '7:13', path: 'items[0].spec.peple', remedy: /Did you mean people\?/ }],
  },
];
