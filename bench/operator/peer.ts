import { join } from 'node:path';
import { buildGo } from '../peers/build-go.ts';
import type { Program } from './process.ts';

/**
 * Builds an operator on controller-runtime that does the measured work.
 *
 * @param folder where the program is put
 * @returns nothing where Go is not there
 */
export async function buildPeer(folder: string): Promise<Program | undefined> {
  const command = join(folder, 'peer');
  return (await buildGo(join(import.meta.dirname, 'peer'), command)) ? { command, args: [] } : undefined;
}
