import type { Case } from './case.ts';
import { head } from './support.ts';

const role = (name: string, ...roles: string[]) =>
  `${head('Role', name)}spec:\n  dataSources: [x]\n  roles: [${roles.join(', ')}]\n`;
const open = (name: string) => head('Role', name);
const many = Array.from({ length: 101 }, (_, at) => `r${at}`);

/** What can be wrong with roles that contain roles. */
export const roleCases: readonly Case[] = [
  {
    promise: 'a contained role that no definition declares is an error, near to a declared name or not',
    input: `${role('a', 'gone', 'suport')}---\n${role('support')}`,
    problems: [
      {
        code: 'role_undeclared',
        at: '7:11',
        path: 'spec.roles[0]',
        message: /is "gone", which no Role here declares/,
        remedy: /name the file/,
      },
      { code: 'role_undeclared', at: '7:17', path: 'spec.roles[1]', remedy: /Did you mean support\?/ },
    ],
  },
  {
    promise: 'a contained role that is wrong itself is reported once',
    input: `${role('a', 'b')}---\n${head('Role', 'b')}spec:\n  peple: []\n`,
    problems: [{ code: 'field_unknown', at: '14:3', path: 'spec.peple', remedy: /people/ }],
  },
  {
    promise: 'a cycle is reported once, with each of its roles and their places',
    input: { 'a.yaml': role('a', 'b'), 'b.yaml': `${role('b', 'c')}---\n${role('c', 'b')}`, 'd.yaml': role('d', 'a') },
    problems: [
      {
        code: 'role_cycle',
        file: 'b.yaml',
        at: '7:11',
        path: 'spec.roles[0]',
        message: /makes a cycle: b contains c \(b\.yaml:9\), which contains b \(b\.yaml:1\)/,
        remedy: /Take one of these roles out/,
      },
    ],
  },
  {
    promise: 'each of two cycles is reported, and one that a longer one leads to',
    input: {
      'a.yaml': `${role('a', 'b')}---\n${role('b', 'a')}`,
      'c.yaml': `${role('c', 'd')}---\n${role('d', 'c', 'a')}`,
    },
    problems: [
      { code: 'role_cycle', file: 'a.yaml', at: '7:11', path: 'spec.roles[0]', remedy: /Take one/ },
      { code: 'role_cycle', file: 'c.yaml', at: '7:11', path: 'spec.roles[0]', remedy: /Take one/ },
    ],
  },
  {
    promise: 'a role does not contain itself, by either of its names',
    input: `${head('Role', 'a')}spec:\n  name: All\n  roles: [All]\n`,
    problems: [
      { code: 'role_cycle', at: '7:11', path: 'spec.roles[0]', message: /is the role itself/, remedy: /Remove/ },
    ],
  },
  {
    promise: 'a role is contained once, by one of its names',
    input: `${role('a', 'b', 'All')}---\n${role('b')}  name: All\n`,
    problems: [
      { code: 'item_duplicate', at: '7:14', path: 'spec.roles[1]', message: /is the same Role as b/, remedy: /Remove/ },
    ],
  },
  {
    promise: 'a contained role of which nothing is declared is a warning',
    input: `${role('a', 'b', 'c', 'd')}---\n${open('b')}---\n${role('c').replace('[x]', '[]')}---\n${open('d')}---\n${head('RoleMembership', 'm')}spec:\n  role: d\n  dataSource: x\n`,
    problems: [
      {
        code: 'role_unlisted',
        severity: 'warning',
        at: '7:11',
        path: 'spec.roles[0]',
        message: /is b, and no definition gives it a data source \(a\.yaml:9\)/,
        remedy: /does not count/,
      },
    ],
  },
  {
    promise: 'a role contains at most 100 roles, nested ones included',
    input: [role('most', ...many.slice(0, 100)), role('more', 'most'), ...many.map((name) => role(name))].join('---\n'),
    problems: [
      {
        code: 'roles_many',
        at: '15:10',
        path: 'spec.roles',
        message: /more than 100 roles/,
        remedy: /dataSourceSelector/,
      },
    ],
  },
];
