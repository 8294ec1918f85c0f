import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { type Installed, startInstalled } from '../support/installed.ts';
import { people } from '../support/people.ts';

/** The provider in a process of its own, as terraform starts it. */
describe('an apply that ends in the middle', requires('terraform'), () => {
  let installed: Installed;
  const listed = async () =>
    (await installed.workspace.client.call('listPeople', {})).map(({ username }) => username).sort();
  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`).sort();

  /** Starts an apply, and calls `then` when its n-th POST comes, which is passed on after that. */
  const applyUntil = async (posts: number, then: (child: ChildProcess) => Promise<void>) => {
    let seen = 0;
    const { proxy } = installed.workspace;
    const started = installed.start(['apply', '-auto-approve', '-parallelism=1', '-lock=false']);
    proxy.intercept = async (call) => {
      if (!call.startsWith('POST')) return undefined;
      seen += 1;
      if (seen === posts) await then(started.child);
      return undefined;
    };
    const finished = await started.finished;
    proxy.intercept = () => Promise.resolve(undefined);
    return finished;
  };

  before(async () => {
    installed = await startInstalled();
    installed.configure(people(0));
    await installed.must(['init']);
  });
  after(async () => {
    await installed[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    installed.configure(people(0));
    await installed.must(['apply', '-auto-approve', '-lock=false']);
    assert.deepEqual(await listed(), []);
  });

  const goesOn = async (count: number) => {
    await installed.must(['apply', '-auto-approve', '-lock=false']);
    assert.deepEqual(await listed(), names(count));
    const { code, output } = await installed.run(['plan', '-detailed-exitcode', '-lock=false']);
    assert.equal(code, 0, output);
  };

  it('because the provider is killed, is taken up by the next one', async () => {
    installed.configure(people(8));
    const { code, output } = await applyUntil(4, (terraform) => {
      for (const pid of childrenOf(terraform.pid)) process.kill(pid, 'SIGKILL');
      return Promise.resolve();
    });
    assert.equal(code, 1);
    assert.match(output, /plugin/i);
    await goesOn(8);
  });

  it('because terraform is killed, is taken up by the next one, and the provider is gone too', async () => {
    installed.configure(people(8));
    let providers: number[] = [];
    await applyUntil(4, (terraform) => {
      providers = childrenOf(terraform.pid);
      terraform.kill('SIGKILL');
      return Promise.resolve();
    });
    assert.notEqual(providers.length, 0);
    while (providers.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 50));
    await goesOn(8);
  });

  describe('where nothing is to be adopted', () => {
    const killed = async () => {
      await applyUntil(4, (terraform) => {
        terraform.kill('SIGKILL');
        return Promise.resolve();
      });
      // What was on its way is made, and no state has it.
      while ((await listed()).length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    };

    it('is taken up by the next one of a configuration with a name of its own', async () => {
      installed.configure(people(8), 'provider "rolecall" {\n  adopt   = false\n  manager = "team"\n}\n');
      await killed();
      assert.match(await installed.must(['plan', '-lock=false']), /Adopts the person p\d/);
      await goesOn(8);
    });

    it('is refused for any other one, with an import block to paste', async () => {
      const provider = 'provider "rolecall" {\n  adopt = false\n}\n';
      installed.configure(people(8), provider);
      await killed();
      const { code, output } = await installed.run(['apply', '-auto-approve', '-lock=false']);
      assert.equal(code, 1, output);
      const [block = ''] = /^[ │]*import \{[^}]*\}/m.exec(output) ?? [];
      const [, address = ''] = /with (rolecall_person\.all\[\d\])/.exec(output) ?? [];
      const pasted = block.replaceAll('│', '').replace('rolecall_person.NAME', address);
      installed.configure(`${people(8)}${pasted}\n`, provider);
      await goesOn(8);
    });

    it('is refused where another one made the object', async () => {
      const body = { username: 'p0', name: 'Person 0', email: 'p0@example.com' };
      const { id } = await installed.workspace.client.call('createPerson', { body });
      installed.configure(people(1), 'provider "rolecall" {\n  adopt   = false\n  manager = "team"\n}\n');
      const { code, output } = await installed.run(['plan', '-lock=false']);
      assert.equal(code, 1, output);
      assert.match(output, /Already there: the person p0/);
      await installed.workspace.client.call('lockPerson', { params: { person: id } });
      await installed.workspace.client.call('deletePerson', { params: { person: id } });
    });
  });

  it('because someone presses Ctrl-C, finishes the call in flight and knows what it made', async () => {
    installed.configure(people(8));
    let made = 0;
    const { code, output } = await applyUntil(4, async (terraform) => {
      made = 4;
      // As a terminal does it: the provider gets it as well.
      for (const pid of [terraform.pid ?? 0, ...childrenOf(terraform.pid)]) process.kill(pid, 'SIGINT');
      // The call is held until terraform has told the provider to stop.
      await untilPrinted(terraform, /Stopping operation/);
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    assert.equal(code, 1, output);
    assert.equal((await listed()).length, made);
    const { output: state } = await installed.run(['state', 'list']);
    assert.equal(state.trim().split('\n').length, made, `${output}\n${state}`);
    const { output: planned } = await installed.run(['plan', '-lock=false']);
    assert.doesNotMatch(planned, /Adopts/);
    assert.match(planned, /Plan: 4 to add, 0 to change, 0 to destroy/);
    await goesOn(8);
  });
});

async function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<void> {
  let printed = '';
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: string) => {
        printed += text;
        if (pattern.test(printed)) resolve();
      });
    }
  });
}

/** Linux tells them; elsewhere there is no such file, and the tests fail rather than pass for nothing. */
function childrenOf(pid: number | undefined): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

function isRunning(pid: number): boolean {
  try {
    // A process whose parent does not wait for it stays as a zombie, which runs no more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
