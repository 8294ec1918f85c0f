import { spawn } from 'node:child_process';
import { type Environment, namedVariable } from '../process/io.ts';

/** Command by which each system opens an address; no shell reads it. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Shows an address in the user's browser, if there is one. The address is printed too, so a failure is no error. */
export function openBrowser(url: string): void {
  const { protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return;
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** True if this machine is likely to show a browser to the user: not over SSH, and not without a desktop. */
export function hasBrowser(env: Environment): boolean {
  const has = (name: string): boolean => namedVariable(env, name) !== undefined;
  if (has('BROWSER')) return true;
  if (has('SSH_CONNECTION')) return false;
  return process.platform !== 'linux' || has('DISPLAY') || has('WAYLAND_DISPLAY');
}
