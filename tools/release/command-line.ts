import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from 'tar';
import type { SharedLibraries } from '../provider/shared-libraries.ts';
import { zip } from '../provider/zip.ts';
import { filesBelow } from './files.ts';
import { librariesOf, nodeOf, type Platform, platforms } from './platforms.ts';

/**
 * Packs the command line for each platform, with the Node that it runs on, so that a machine needs nothing else.
 *
 * @param tarball the npm package, with everything that it depends on
 * @param folder where the archives go
 */
export async function packCommandLine(root: string, tarball: string, folder: string, version: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const stage = mkdtempSync(path.join(tmpdir(), 'rolecall-command-line-'));
  try {
    for (const platform of platforms) {
      const name = `rolecall_${version}_${platform.name}`;
      layOut(platform, root, tarball, path.join(stage, name));
      if (platform.windows) writeFileSync(path.join(folder, `${name}.zip`), zipped(stage, name));
      else {
        const files = filesBelow(path.join(stage, name)).map((file) => `${name}/${file}`);
        const options = { cwd: stage, gzip: true, portable: true, mtime: new Date(0) };
        await create({ ...options, file: path.join(folder, `${name}.tar.gz`) }, files);
      }
      rmSync(path.join(stage, name), { recursive: true });
    }
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function layOut(platform: Platform, root: string, tarball: string, folder: string): void {
  const { program, license } = nodeOf(platform, root);
  mkdirSync(path.join(folder, 'lib'), { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', path.join(folder, 'lib'), '--strip-components', '1']);
  const libraries = librariesOf(platform);
  if (libraries === undefined) cpSync(program, path.join(folder, 'lib', path.basename(program)));
  else layOutNode(program, libraries, folder);
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  writeFileSync(path.join(folder, 'NODE-LICENSE'), license);
  if (platform.windows) writeFileSync(path.join(folder, 'rolecall.cmd'), commandFile);
  else writeFileSync(path.join(folder, 'rolecall'), launcher, { mode: 0o755 });
}

/** Node with its shared libraries, and a script in its place that runs it with these and no others. */
function layOutNode(program: string, { loader, files, notice, licenses }: SharedLibraries, folder: string): void {
  const runtime = path.join(folder, 'lib/runtime');
  mkdirSync(runtime);
  cpSync(program, path.join(runtime, 'node'));
  for (const { name, content } of files) writeFileSync(path.join(runtime, name), content, { mode: 0o755 });
  writeFileSync(path.join(runtime, 'exec-path.cjs'), execPath);
  writeFileSync(path.join(folder, 'lib/node'), nodeLauncher(loader), { mode: 0o755 });
  writeFileSync(path.join(folder, 'NOTICE'), notice);
  writeFileSync(path.join(folder, 'LIBRARY-LICENSES.txt'), licenses);
}

const nodeLauncher = (loader: string): string => `#!/bin/sh
runtime=\${0%/*}/runtime
exec "$runtime/${loader}" --library-path "$runtime" "$runtime/node" --require "$runtime/exec-path.cjs" "$@"
`;

/** To the system the loader is the program that runs; what starts another Node has to start the script. */
const execPath = "process.execPath = require('node:path').resolve(__dirname, '../node');\n";

function zipped(stage: string, name: string): Buffer {
  const files = filesBelow(path.join(stage, name));
  return zip(
    files.map((file) => ({
      name: `${name}/${file}`,
      content: readFileSync(path.join(stage, name, file)),
      mode: 0o644,
    })),
  );
}

/** It may be started by a link, as from a folder on the path. */
const launcher = `#!/bin/sh
file=$0
while [ -L "$file" ]; do
  target=$(readlink "$file")
  case $target in /*) file=$target ;; *) file=\${file%/*}/$target ;; esac
done
lib=\${file%/*}/lib
exec "$lib/node" --max-semi-space-size=8 "$lib/dist/main.js" "$@"
`;

const commandFile = '@"%~dp0lib\\node.exe" --max-semi-space-size=8 "%~dp0lib\\dist\\main.js" %*\r\n';
