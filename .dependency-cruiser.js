// The import direction of the parts, as the table in CONTRIBUTING.md has it: a part imports only from the parts it
// names there. Anything else is a cycle in the making.
const parts = {
  api: [],
  crds: ['api'],
  reconcile: ['api', 'crds'],
  server: ['api'],
  web: ['api'],
  provider: ['api', 'crds', 'reconcile'],
  operator: ['api', 'crds', 'reconcile'],
  cli: ['api', 'crds', 'reconcile', 'server', 'provider', 'operator'],
};

const direction = Object.entries(parts).map(([part, allowed]) => ({
  name: `${part}-imports-only-${allowed.join('-') || 'itself'}`,
  severity: 'error',
  from: { path: `^${part}/` },
  to: {
    path: `^(?!(${[part, ...allowed].join('|')})/)[^/]+/`,
    pathNot: '(^|/)node_modules/',
    dependencyTypesNot: ['core'],
  },
}));

/** The rooms of the command line: a folder a command, and what several of them need outside. */
const commandLine = [
  {
    name: 'a-command-imports-no-other-one',
    comment: 'What two commands need is in a folder beside commands/. The demonstration plays the others.',
    severity: 'error',
    from: { path: '^cli/commands/([^/]+)/', pathNot: '^cli/commands/demo/' },
    to: { path: '^cli/commands/', pathNot: '^cli/commands/$1/' },
  },
  {
    name: 'only-the-program-imports-commands',
    severity: 'error',
    from: { path: '^cli/', pathNot: '^cli/(commands/|program[.]ts$)' },
    to: { path: '^cli/commands/' },
  },
];

/** The plugin protocol: another provider could be built on it. */
const pluginProtocol = [
  {
    name: 'the-plugin-protocol-knows-nothing-of-rolecall',
    severity: 'error',
    from: { path: '^provider/plugin/' },
    to: { path: '^(?!provider/plugin/)[^/]+/', pathNot: '(^|/)node_modules/', dependencyTypesNot: ['core'] },
  },
];

/** The wire formats of databases, which the client's side and the gateway share. */
const protocols = [
  {
    name: 'protocols-know-nothing-of-who-speaks-them',
    severity: 'error',
    from: { path: '^server/protocols/' },
    to: { path: '^(?!server/protocols/|api/)[^/]+/', pathNot: '(^|/)node_modules/', dependencyTypesNot: ['core'] },
  },
];

export default {
  forbidden: [
    ...direction,
    ...commandLine,
    ...pluginProtocol,
    ...protocols,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: { path: '^(api|crds|reconcile|server|web|provider|operator|cli)/' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        pathNot: '^(api|crds|reconcile|server|provider|operator)/',
      },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '\\.(js|json|d\\.ts)$|^(test|bench|tools)/' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules)/|^virtual:' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['source', 'import', 'types', 'default'] },
  },
};
