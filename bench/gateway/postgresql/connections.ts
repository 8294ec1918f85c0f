import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ConnectJob, ConnectResult } from '../../children/connect-postgresql.ts';
import type { Door } from '../doors.ts';

/** Clients that do nothing but connect, in a process of their own. */
export class Connector {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<Connector> {
    const script = join(import.meta.dirname, '../../children/connect-postgresql.ts');
    const child = fork(script, { stdio: 'inherit' });
    await once(child, 'message');
    return new Connector(child);
  }

  /** @param at how many connect at a time @param seconds for how long; 0 makes so many connections, and keeps them */
  async connect({ port, user, database, password, isTls }: Door, at: number, seconds: number): Promise<ConnectResult> {
    const job: ConnectJob = { port, user, database, password, isTls, at, seconds };
    const over = new AbortController();
    const ended = (): void => {
      over.abort(new Error('the clients that connect have ended'));
    };
    this.#child.once('exit', ended).send(job);
    const [result] = (await once(this.#child, 'message', { signal: over.signal })) as [ConnectResult];
    this.#child.off('exit', ended);
    return result;
  }

  readonly stop = (): void => {
    this.#child.kill();
  };
}
