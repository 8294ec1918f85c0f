import type { Palette } from '@rolecall/reconcile';
import { type Environment, variable } from '../process/io.ts';

/** Whether text for this stream is coloured: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise. */
export function wantsColour(stream: { isTTY?: boolean }, env: Environment): boolean {
  const forced = variable(env, 'FORCE_COLOR');
  // Node itself lets FORCE_COLOR win over NO_COLOR.
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (variable(env, 'NO_COLOR') !== undefined || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true;
}

const paint =
  (begin: number, end: number) =>
  (text: string): string =>
    `\u001b[${begin}m${text}\u001b[${end}m`;

/** The colours that Terraform's users know. */
export const colours: Palette = {
  create: paint(32, 39),
  change: paint(33, 39),
  remove: paint(31, 39),
  replace: paint(35, 39),
  strong: paint(1, 22),
  dim: paint(2, 22),
};
