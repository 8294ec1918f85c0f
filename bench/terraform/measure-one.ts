import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/report.ts';
import { withService } from '../workspace/workspace.ts';
import { type Manager, managers, writeConfiguration } from './configurations.ts';
import { runTerraform } from './terraform.ts';

/** Where terraform finds each provider: Rolecall's in its two forms, and one in Go that does nothing. */
export interface CliConfigs {
  readonly script: string;
  readonly executable: string;
  readonly go: string | undefined;
}

/**
 * Plans of one object that is there already, with the state in a file, in turns.
 *
 * @param cache the user's cache folder
 * @returns medians in seconds; of Go nothing where it is not there
 */
export async function measureOne(
  folder: string,
  { script, executable, go }: CliConfigs,
  cache: string,
  plans: number,
): Promise<{ script: number; executable: number; builtIn: number; go: number | undefined }> {
  return withService(join(folder, 'data-one'), async (_service, env) => {
    const make = (form: string, manager: Manager, cliConfig: string | undefined) => {
      const own = join(folder, `one-${form}`);
      mkdirSync(own);
      writeConfiguration(own, manager, [{ kind: 'role', index: 0, attributes: { name: `one-${form}` } }]);
      const found = cliConfig === undefined ? {} : { TF_CLI_CONFIG_FILE: cliConfig, XDG_CACHE_HOME: cache };
      return { folder: own, env: { ...env, ...found }, times: [] as number[] };
    };
    const ofScript = make('script', managers.rolecall, script);
    const ofExecutable = make('executable', managers.rolecall, executable);
    const own = make('built-in', managers.builtIn, undefined);
    const peer = go === undefined ? undefined : make('go', managers.go, go);
    const all = [ofScript, ofExecutable, own, ...(peer === undefined ? [] : [peer])];
    for (const each of all) {
      await runTerraform(each.folder, ['init'], each.env);
      await runTerraform(each.folder, ['apply', '-auto-approve'], each.env);
    }
    for (let turn = 0; turn < plans; turn += 1) {
      for (const each of all) each.times.push((await runTerraform(each.folder, ['plan'], each.env)).seconds);
    }
    return {
      script: median(ofScript.times),
      executable: median(ofExecutable.times),
      builtIn: median(own.times),
      go: peer && median(peer.times),
    };
  });
}
