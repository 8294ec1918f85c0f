import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** What Node needs of a Linux system to start, so that it can be brought along. */
export interface SharedLibraries {
  /** The name of the dynamic loader among the files. */
  readonly loader: string;
  readonly files: readonly { readonly name: string; readonly content: Buffer }[];
  /** Which libraries these are, and by which licences they may be passed on. */
  readonly notice: string;
  /** The texts of the licences. */
  readonly licenses: string;
}

const commonLicenses = '/usr/share/common-licenses';
const gcc = 'GNU GPL 3 with the GCC Runtime Library Exception';

/** Debian's packages with the libraries that Node is linked to, and the licence that each refers to. */
const packages = [
  { name: 'libatomic1', license: 'GPL-3', words: gcc },
  { name: 'libgcc-s1', license: 'GPL-3', words: gcc },
  { name: 'libstdc++6', license: 'GPL-3', words: gcc },
  { name: 'libc6', license: 'LGPL-2.1', words: 'GNU LGPL 2.1 or later' },
] as const;

export const libraryPackages: readonly string[] = packages.map(({ name }) => name);

const libraries = [
  'libatomic.so.1',
  'libgcc_s.so.1',
  'libstdc++.so.6',
  'libc.so.6',
  'libm.so.6',
  'libdl.so.2',
  'libpthread.so.0',
];

/** How Debian and the loader call the processors that Node is released for. */
const processors: Readonly<Record<string, { readonly folder: string; readonly loader: string }>> = {
  x64: { folder: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
  arm64: { folder: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
};

/**
 * Finds the shared libraries of Node, the C library and its loader among them: what they link to has to be of one build.
 *
 * @param system the root of a Debian system, or of what was unpacked of one
 * @throws when it is no Debian that has them, with their licences
 */
export function findSharedLibraries(processor: string = process.arch, system = '/'): SharedLibraries {
  const { folder, loader } = processors[processor] ?? {};
  if (folder === undefined || loader === undefined) throw new Error(`no libraries are known for ${processor}`);
  const found = packages.map((each) => ({ ...each, source: sourceOf(each.name, system) }));
  const files = [loader, ...libraries].map((name) => ({ name, content: readLibrary(name, folder, system) }));
  return { loader, files, notice: noticeOf(found), licenses: licensesOf(found, system) };
}

/** Older packages name the folder /lib, which is a link into /usr in a system. */
function readLibrary(name: string, folder: string, system: string): Buffer {
  const places = ['usr/lib', 'lib'].map((each) => path.join(system, each, folder, name));
  const place = places.find((each) => existsSync(each));
  if (place === undefined) throw new Error(`none of ${places.join(', ')} is there`);
  return readFileSync(place);
}

/** The source package and its version, as in `glibc 2.36-9`. What was only unpacked has no record of packages, but their changelogs. */
function sourceOf(name: string, system: string): string {
  const changelog = path.join(system, 'usr/share/doc', name, 'changelog.Debian.gz');
  if (existsSync(changelog)) {
    const [, source, version] = /^(\S+) \((\S+)\)/.exec(gunzipSync(readFileSync(changelog)).toString()) ?? [];
    if (source !== undefined && version !== undefined) return `${source} ${version}`;
  }
  const options = [
    `--admindir=${path.join(system, 'var/lib/dpkg')}`,
    '--showformat=${source:Package} ${source:Version}',
  ];
  try {
    return execFileSync('dpkg-query', [...options, '--show', name], { encoding: 'utf8' });
  } catch (error) {
    throw new Error(`what runs on Linux is built on Debian, with the package ${name}: apt-get install ${name}`, {
      cause: error,
    });
  }
}

interface Package {
  readonly name: string;
  readonly words: string;
  readonly license: string;
  readonly source: string;
}

function noticeOf(found: readonly Package[]): string {
  const lines = found.map(
    ({ name, source, words }) => `- ${name}, built from Debian's source package ${source}: ${words}`,
  );
  return `Beside a program, this archive has the shared libraries that it runs with, which are those of Debian's packages, unchanged:

${lines.join('\n')}

Debian publishes their sources under the names and versions above. You may put another build of a library in its place: the program
loads what is in the folder. The archive has the texts of the licences.
`;
}

/** What the packages say themselves, those of one source the same, and the licences that they refer to. */
function licensesOf(found: readonly Package[], system: string): string {
  const bySource = new Map(
    found.map(({ name, source }) => [source, path.join(system, 'usr/share/doc', name, 'copyright')]),
  );
  const byLicense = new Map(found.map(({ license }) => [license, path.join(commonLicenses, license)]));
  const texts = [...bySource, ...byLicense].map(([name, file]) => `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`);
  return texts.join('\n---\n\n');
}
