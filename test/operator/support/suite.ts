import { after, afterEach, before } from 'node:test';
import {
  type Cluster,
  type Installation,
  type MemoryInstallation,
  type Operating,
  startCluster,
  startInstallation,
} from './installation.ts';
import { startWorkspace, type TestWorkspace } from './workspace.ts';

/** What the tests of a suite share, and what ends with each of them. */
export interface InstallationSuite<All extends Installation = Installation> {
  /** Made before the first test. */
  readonly all: All;
  /** Starts an operator that ends with its test. */
  readonly operate: All['operate'];
  /** The operators that the test has started. */
  readonly running: Operating[];
  /** Starts a service that one test has for itself. */
  readonly startWorkspace: () => Promise<TestWorkspace>;
}

/** Gives a suite an installation on an API server in memory. After each test nothing fails any more, and what it started ends. */
export function useInstallation(): InstallationSuite<MemoryInstallation> {
  return use(startInstallation, (all) => all.stop());
}

/**
 * Gives a suite an installation on a real kube-apiserver.
 *
 * @param expected what the operator may be refused for want of a right
 */
export function useCluster(expected?: RegExp): InstallationSuite<Cluster> {
  return use(startCluster, (all) => all.stop(expected));
}

function use<All extends Installation>(
  start: () => Promise<All>,
  stop: (all: All) => Promise<void>,
): InstallationSuite<All> {
  let all: All | undefined;
  const running: Operating[] = [];
  const workspaces: TestWorkspace[] = [];
  const addresses = new Set<string>();
  before(async () => {
    all = await start();
  });
  afterEach(async () => {
    for (const { proxy } of [all, all?.workspace, ...workspaces].flatMap((one) => one ?? []))
      proxy.fault = () => undefined;
    for (const one of running.splice(0)) await one.stop();
    for (const one of workspaces.splice(0)) await one.stop();
  });
  after(() => all && stop(all));
  const made = (): All => {
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
      let workspace = await startWorkspace();
      workspaces.push(workspace);
      // What is left of an ended test would be led to a service at the same address, and has the key of it.
      while (addresses.has(workspace.proxy.url)) {
        workspace = await startWorkspace();
        workspaces.push(workspace);
      }
      addresses.add(workspace.proxy.url);
      return workspace;
    },
  };
}
