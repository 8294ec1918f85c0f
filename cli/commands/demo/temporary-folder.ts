import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder that is gone with the process, however that ends short of being killed. */
export function createTemporaryFolder(): { readonly path: string; [Symbol.dispose]: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'rolecall-demo-'));
  const remove = (): void => {
    rmSync(path, { recursive: true, force: true });
  };
  // A second Ctrl-C exits without unwinding.
  process.once('exit', remove);
  return {
    path,
    [Symbol.dispose]: () => {
      process.off('exit', remove);
      remove();
    },
  };
}
