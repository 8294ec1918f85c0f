import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** What a program needs of a Linux system to start, so that it can be brought along. */
export interface SharedLibraries {
  /** The name of the dynamic loader among the files. */
  readonly loader: string;
  readonly files: readonly { readonly name: string; readonly path: string }[];
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

/**
 * Finds the shared libraries of a program, its loader and the C library among them: what they link to has to be of one build.
 *
 * @throws when the machine is no Debian that has them, with their licences
 */
export function findSharedLibraries(program: string): SharedLibraries {
  const files = linkedBy(program).map((file) => ({ name: path.basename(file), path: realpathSync(file) }));
  const loader = files.find(({ name }) => name.startsWith('ld-linux'));
  if (loader === undefined) throw new Error(`${program} names no dynamic loader`);
  const found = packages.map((each) => ({ ...each, ...describePackage(each.name) }));
  const owned = new Set(found.flatMap(({ files }) => files));
  const foreign = files.filter((file) => !owned.has(file.path) && !owned.has(file.path.replace(/^\/usr/, '')));
  if (foreign.length > 0) {
    const names = foreign.map((file) => file.path).join(', ');
    throw new Error(`${names}: of none of the Debian packages ${packages.map(({ name }) => name).join(', ')}`);
  }
  return { loader: loader.name, files, notice: noticeOf(found), licenses: licensesOf(found) };
}

/** The files that the loader would load for a program, itself among them. */
function linkedBy(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return listed.split('\n').flatMap((line) => /^\t(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

interface Package {
  readonly name: string;
  readonly words: string;
  readonly license: string;
  readonly source: string;
  readonly files: readonly string[];
}

function describePackage(name: string): Pick<Package, 'source' | 'files'> {
  try {
    const format = '${source:Package} ${source:Version}';
    const source = execFileSync('dpkg-query', ['--show', `--showformat=${format}`, name], { encoding: 'utf8' });
    return { source, files: execFileSync('dpkg-query', ['--listfiles', name], { encoding: 'utf8' }).split('\n') };
  } catch (error) {
    throw new Error(`an executable for Linux is built on Debian, with the package ${name}: apt-get install ${name}`, {
      cause: error,
    });
  }
}

function noticeOf(found: readonly Package[]): string {
  const lines = found.map(
    ({ name, source, words }) => `- ${name}, built from Debian's source package ${source}: ${words}`,
  );
  return `The program in this archive runs with the shared libraries in its folder lib, which are those of Debian's packages, unchanged:

${lines.join('\n')}

Debian publishes their sources under the names and versions above. You may put another build of a library in its place: the program
loads what is in the folder. The licences are in THIRD-PARTY-LICENSES.txt.
`;
}

/** What the packages say themselves, those of one source the same, and the licences that they refer to. */
function licensesOf(found: readonly Package[]): string {
  const bySource = new Map(found.map(({ name, source }) => [source, `/usr/share/doc/${name}/copyright`]));
  const byLicense = new Map(found.map(({ license }) => [license, path.join(commonLicenses, license)]));
  const texts = [...bySource, ...byLicense].map(([name, file]) => `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`);
  return texts.join('\n---\n\n');
}
