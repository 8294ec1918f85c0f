import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sectionOf } from './notes.ts';
import { keyVariable } from './sign.ts';

/**
 * A published package cannot be taken back, so it must match Git, under its tag, with a section in the changelog, and be signed.
 *
 * @throws Error that says everything that is missing
 */
export function failUnlessReady(root: string, version: string, environment: NodeJS.ProcessEnv): void {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const lacking = [
    git('status', '--porcelain') === '' ? [] : ['the checkout has changes that are not committed'],
    git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`) ? [] : [`the tag v${version} is not here`],
    sectionOf(changelog, version) === undefined ? [`CHANGELOG.md has no section ${version}`] : [],
    environment[keyVariable] === undefined ? [`${keyVariable} has no key to sign it with`] : [],
  ].flat();
  if (lacking.length === 0) return;
  throw new Error(`nothing was published:\n${lacking.map((line) => `  ${line}`).join('\n')}`);
}

/**
 * Publishes the packages with their provenance, each after those that it depends on. It stops at a package that is already
 * published: after a failure, publish the rest by hand.
 */
export function publish(tarballs: readonly string[]): void {
  for (const tarball of tarballs) {
    execFileSync('npm', ['publish', tarball, '--provenance', '--access', 'public'], { stdio: 'inherit' });
  }
}
