import { type Manifest, packageFolders, readManifest } from './packages.ts';

const repository = readManifest('.');
const names = new Set(packageFolders.map((folder) => readManifest(folder).name));

/**
 * What every package has alike: one version, where its source is, the licence. It stands once, in the package.json of the
 * repository, and `npm run generate` writes it into the others. A registry proves where a package was built only when its
 * `repository` says where its source is.
 */
export function generatedFiles(): Map<string, string> {
  return new Map(
    packageFolders.map((folder) => [
      `${folder}/package.json`,
      `${JSON.stringify(withSharedFields(readManifest(folder), folder), null, 2)}\n`,
    ]),
  );
}

/** Keeps the order of existing fields; new ones follow the description. */
function withSharedFields(manifest: Manifest, folder: string): Manifest {
  const { name, version: _version, description, ...rest } = manifest;
  const shared = {
    license: repository['license'],
    author: repository['author'],
    homepage: repository['homepage'],
    repository: { ...(repository['repository'] as Record<string, unknown>), directory: folder },
    bugs: repository['bugs'],
    keywords: manifest['keywords'] ?? repository['keywords'],
  };
  const dependencies = ownVersions(manifest.dependencies);
  const devDependencies = ownVersions(manifest.devDependencies);
  return {
    name,
    version: repository.version,
    description,
    ...shared,
    ...Object.fromEntries(Object.entries(rest).filter(([field]) => !(field in shared))),
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(devDependencies === undefined ? {} : { devDependencies }),
  };
}

/** A package of the repository works with the others of its own version only. */
function ownVersions(dependencies: Manifest['dependencies']): Manifest['dependencies'] {
  if (dependencies === undefined) return undefined;
  const entries = Object.entries(dependencies);
  return Object.fromEntries(entries.map(([name, version]) => [name, names.has(name) ? repository.version : version]));
}
