import { after, afterEach, before } from 'node:test';
import { type Installation, type Operating, startInstallation } from './installation.ts';
import { startWorkspace, type TestWorkspace } from './workspace.ts';

/** What the tests of a suite share, and what ends with each of them. */
export interface InstallationSuite {
  /** Made before the first test. */
  readonly all: Installation;
  /** Starts an operator that ends with its test. */
  readonly operate: Installation['operate'];
  /** The operators that the test has started. */
  readonly running: Operating[];
  /** Starts a service that one test has for itself. */
  readonly startWorkspace: () => Promise<TestWorkspace>;
}

/**
 * Gives a suite an installation. After each test nothing fails any more, and what it started ends.
 *
 * @param expected what the operator may be refused for want of a right
 */
export function useInstallation(expected?: RegExp): InstallationSuite {
  let all: Installation | undefined;
  const running: Operating[] = [];
  const workspaces: TestWorkspace[] = [];
  before(async () => {
    all = await startInstallation();
  });
  afterEach(async () => {
    for (const { proxy } of [all, all?.workspace, ...workspaces].flatMap((one) => one ?? []))
      proxy.fault = () => undefined;
    for (const one of running.splice(0)) await one.stop();
    for (const one of workspaces.splice(0)) await one.stop();
  });
  after(() => all?.stop(expected));
  const made = () => {
    if (all === undefined) throw new Error('the installation is made before the first test');
    return all;
  };
  return {
    get all() {
      return made();
    },
    operate: async (...args) => {
      const one = await made().operate(...args);
      running.push(one);
      return one;
    },
    running,
    startWorkspace: async () => {
      const workspace = await startWorkspace();
      workspaces.push(workspace);
      return workspace;
    },
  };
}
