import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { OpenLoopJob, OpenLoopResult } from '../children/open-loop.ts';

/** A process that sends requests at a constant rate: what it measures has no garbage collection of this process in it. */
export class OpenLoop implements Disposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<OpenLoop> {
    const child = fork(join(import.meta.dirname, '..', 'children', 'open-loop.ts'), { stdio: 'inherit' });
    await once(child, 'message');
    return new OpenLoop(child);
  }

  /** One job at a time. */
  async send(job: OpenLoopJob): Promise<OpenLoopResult> {
    this.#child.send(job);
    const [result] = (await once(this.#child, 'message')) as [OpenLoopResult];
    return result;
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }
}
