import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Images } from '../../tools/release/image.ts';

/** Runs an image as a cluster does: as its user, with a root that is read-only, on the network of this machine. */
export class Container implements AsyncDisposable {
  readonly #images: Images;
  readonly #name: string;
  readonly #root: string;
  readonly #config: Config;
  /** A folder of this machine that the container may write to, at /srv. */
  readonly #folder: string;
  readonly #running: ChildProcess[] = [];

  constructor(images: Images, image: string, folder: string) {
    this.#images = images;
    this.#folder = folder;
    this.#name = images.run('from', image);
    this.#root = images.run('mount', this.#name);
    const inspected = JSON.parse(images.run('inspect', '--type', 'image', image)) as { OCIv1: { config: Config } };
    this.#config = inspected.OCIv1.config;
  }

  get config(): Config {
    return this.#config;
  }

  /** Runs it to its end, with other arguments than its own. @returns what it printed */
  async run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('unshare', this.#command(this.#config.Entrypoint, args), {
      env: this.#env,
    });
    return stdout;
  }

  /** Runs another program in it. */
  async runProgram(...command: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('unshare', this.#command(command, []), { env: this.#env });
    return stdout;
  }

  /** Starts it, and waits until it prints something. @returns its process, and the match */
  async start(prints: RegExp, ...args: string[]): Promise<{ pid: number; match: RegExpExecArray }> {
    const child = spawn('unshare', this.#command(this.#config.Entrypoint, args), { env: this.#env });
    this.#running.push(child);
    let printed = '';
    return new Promise((resolve, reject) => {
      const look = (text: string): void => {
        printed += text;
        const match = prints.exec(printed);
        if (match !== null && child.pid !== undefined) resolve({ pid: child.pid, match });
      };
      child.stdout.setEncoding('utf8').on('data', look);
      child.stderr.setEncoding('utf8').on('data', look);
      child.once('exit', () => {
        reject(new Error(`it ended:\n${printed}`));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      await ended;
    }
    this.#images.run('rm', this.#name);
  }

  get #env(): NodeJS.ProcessEnv {
    const env: NodeJS.ProcessEnv = {};
    for (const line of this.#config.Env) env[line.split('=', 1)[0] ?? ''] = line.slice(line.indexOf('=') + 1);
    return env;
  }

  /** Every program replaces the one before, so a signal reaches the last one. */
  #command(program: readonly string[], args: readonly string[]): string[] {
    const script = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t tmpfs tmpfs "$1/tmp" &&
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --bind "$2" "$1/srv" && root=$1 user=$3 && shift 3 &&
exec /usr/sbin/chroot --userspec="$user" "$root" "$@"`;
    const fixed = [this.#root, this.#folder, this.#config.User];
    return ['--mount', '/bin/sh', '-c', script, 'sh', ...fixed, ...program, ...args];
  }
}

interface Config {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
}
