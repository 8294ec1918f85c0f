import tseslint from 'typescript-eslint';
import { plainEnglish } from './tools/lint/plain-english.ts';

/** Folders whose docstrings and names hold to the rules of tools/lint/plain-english.ts. The list grows to all of them. */
const inPlainEnglish = ['api', 'cli', 'crds', 'operator', 'provider', 'reconcile', 'server', 'tools/lint', 'web'];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/*.js',
      '**/*.cjs',
      'provider/cdktf/bindings/**',
      'examples/cdktf/**',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: inPlainEnglish.map((folder) => `${folder}/**/*.{ts,tsx}`),
    plugins: { 'plain-english': plainEnglish },
    rules: { 'plain-english/docstring-start': 'error', 'plain-english/noun-names': 'error' },
  },
  {
    // node:test's describe/it return promises that the runner itself awaits.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['describe', 'it', 'test', 'suite'], package: 'node:test' },
          ],
        },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);
