import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeFlags } from '../../provider/flags.ts';
import { platformName, version } from '../../provider/release.ts';
import { bundleProvider } from '../provider/bundle-provider.ts';
import { type ZipEntry, zip } from '../provider/zip.ts';
import { licensesFile } from '../third-party.ts';
import { librariesOf, nodeOf, type Platform, platforms } from './platforms.ts';

const release = `terraform-provider-rolecall_${version}`;
const executable = `terraform-provider-rolecall_v${version}`;

/**
 * Makes what Terraform's registry takes: an archive for each platform, their checksums and the manifest. The archive of this machine's
 * platform and the manifest are those of `npm run build:provider`.
 *
 * @returns the file of checksums, which a release signs
 */
export async function packProvider(root: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const built = path.join(root, 'dist/terraform/registry');
  const own = readdirSync(built).filter((name) => name.endsWith('.zip') || name.endsWith('_manifest.json'));
  if (!own.includes(`${release}_${platformName()}.zip`)) throw new Error(`${built} has no archive of the provider`);
  for (const name of own) cpSync(path.join(built, name), path.join(folder, name));
  const stage = mkdtempSync(path.join(tmpdir(), 'rolecall-provider-'));
  try {
    for (const platform of platforms.filter(({ name }) => name !== platformName())) {
      const entries = await (platform.windows ? executableOf : scriptsOf)(platform, root, stage);
      const license = { name: 'LICENSE', content: readFileSync(path.join(root, 'LICENSE')), mode: 0o644 };
      const { license: nodeLicense } = nodeOf(platform, root);
      const libraries = librariesOf(platform);
      const texts = [readFileSync(path.join(stage, licensesFile), 'utf8'), `Node.js\n\n${nodeLicense}`];
      if (libraries !== undefined) texts.push(libraries.licenses);
      const licenses = { name: licensesFile, content: Buffer.from(texts.join('\n---\n\n')), mode: 0o644 };
      const notice =
        libraries === undefined ? [] : [{ name: 'NOTICE', content: Buffer.from(libraries.notice), mode: 0o644 }];
      writeFileSync(
        path.join(folder, `${release}_${platform.name}.zip`),
        zip([...entries, license, ...notice, licenses]),
      );
    }
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return writeSums(folder);
}

/**
 * Windows starts nothing but executables. It takes no snapshot: only the program that would start from it can make one.
 */
async function executableOf(platform: Platform, root: string, stage: string): Promise<ZipEntry[]> {
  const [main, config, output] = ['main.cjs', 'sea.json', `${executable}.exe`].map((name) =>
    path.join(stage, name),
  ) as [string, string, string];
  await bundleProvider(main, 'main', 'one file');
  const { program } = nodeOf(platform, root);
  const settings = { main, executable: program, output, disableExperimentalSEAWarning: true, execArgv: nodeFlags };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  return [{ name: path.basename(output), content: withoutSignature(readFileSync(output)), mode: 0o755 }];
}

/** What Node's makers signed is not in it any more: Windows trusts no signature more than a broken one. */
function withoutSignature(program: Buffer): Buffer {
  const optionalHeader = program.readUInt32LE(0x3c) + 24;
  // The fifth directory of a 64-bit program: the place and the size of its certificates.
  program.fill(0, optionalHeader + 112 + 4 * 8, optionalHeader + 112 + 5 * 8);
  return program;
}

/**
 * Elsewhere a launcher starts Node as its makers signed it, which macOS demands: what is put into the program breaks the signature,
 * and only a Mac makes another one.
 */
async function scriptsOf(platform: Platform, root: string, stage: string): Promise<ZipEntry[]> {
  const folder = path.join(stage, 'scripts');
  await bundleProvider(path.join(folder, 'provider.cjs'));
  const scripts = globSync('*.cjs', { cwd: folder }).toSorted();
  cpSync(path.join(folder, licensesFile), path.join(stage, licensesFile));
  const libraries = librariesOf(platform);
  const beside = libraries?.files.map(({ name, content }) => ({ name: `lib/${name}`, content, mode: 0o755 })) ?? [];
  return [
    { name: executable, content: Buffer.from(launcher(libraries?.loader)), mode: 0o755 },
    { name: 'lib/node', content: readFileSync(nodeOf(platform, root).program), mode: 0o755 },
    ...beside,
    ...scripts.map((name) => ({ name, content: readFileSync(path.join(folder, name)), mode: 0o644 })),
  ];
}

function launcher(loader: string | undefined): string {
  const node =
    loader === undefined ? '"$here/lib/node"' : `"$here/lib/${loader}" --library-path "$here/lib" "$here/lib/node"`;
  return `#!/bin/sh
here=\${0%/*}
exec ${node} ${nodeFlags.join(' ')} "$here/provider.cjs" "$@"
`;
}

function writeSums(folder: string): string {
  const file = path.join(folder, `${release}_SHA256SUMS`);
  const names = readdirSync(folder).toSorted();
  const lines = names.map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(path.join(folder, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(file, lines.join(''));
  return file;
}
