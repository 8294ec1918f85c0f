import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { packageFolders, readManifest } from '../packages.ts';
import type { SystemPackage } from './image.ts';

interface Bom {
  metadata: { component: { name: string; 'bom-ref': string } };
  components: { 'bom-ref': string; [field: string]: unknown }[];
  dependencies: { ref: string; dependsOn: string[] }[];
  [field: string]: unknown;
}

/**
 * Writes the dependencies of the packages, with versions, licences and hashes, as CycloneDX. `npm sbom` lists everything that is
 * installed. `--omit dev` also omits dependencies that the packages share with the repository's tools, so this code follows
 * the dependencies of each package itself.
 */
export function writeSbom(root: string, file: string): void {
  const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const bom = ofPackages(JSON.parse(printed) as Bom);
  // npm takes the name of the folder, which depends on the clone.
  bom.metadata.component.name = readManifest('.').name;
  writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
}

/**
 * Writes what is in the image: the packages of npm, Node, and those of its system.
 *
 * @param packages the bill of the packages, as `writeSbom` wrote it
 */
export function writeImageSbom(packages: string, file: string, system: readonly SystemPackage[]): void {
  const bom = JSON.parse(readFileSync(packages, 'utf8')) as Bom;
  const node = process.versions.node;
  const added = [
    { name: 'node', version: node, purl: `pkg:generic/node@${node}` },
    ...system.map(({ name, version, architecture }) => ({
      ...{ name, version },
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
    })),
  ].map((each) => ({ type: 'library', 'bom-ref': each.purl, ...each }));
  const components = [...bom.components, ...added];
  bom.metadata.component.name = 'rolecall-image';
  writeFileSync(file, `${JSON.stringify({ ...bom, components }, null, 2)}\n`);
}

function ofPackages(bom: Bom): Bom {
  const needed = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const manifests = packageFolders.map(readManifest);
  const packages = manifests.map(({ name, version }) => `${name}@${version}`);
  for (const { name, version, dependencies = {} } of manifests) {
    // Without what only building and testing the package needs.
    const own = (needed.get(`${name}@${version}`) ?? []).filter((ref) => nameOf(ref) in dependencies);
    needed.set(`${name}@${version}`, own);
  }
  needed.set(bom.metadata.component['bom-ref'], packages);
  const reached = new Set<string>();
  const left = [bom.metadata.component['bom-ref']];
  for (let ref = left.pop(); ref !== undefined; ref = left.pop()) {
    if (reached.has(ref)) continue;
    reached.add(ref);
    left.push(...(needed.get(ref) ?? []));
  }
  return {
    ...bom,
    components: bom.components.filter((component) => reached.has(component['bom-ref'])),
    dependencies: [...reached].map((ref) => ({ ref, dependsOn: needed.get(ref) ?? [] })),
  };
}

/** Of `@scope/name@1.2.3`. */
function nameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'));
}
