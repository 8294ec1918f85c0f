import { globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { create } from 'tar';
import { parse } from 'yaml';
import { filesBelow } from './files.ts';

/**
 * Packs every Helm chart as `helm package` does: one folder, named after the chart, in a gzipped tar. The same content gives the
 * same archive.
 *
 * @throws when a chart is of another version than the packages
 * @returns the archives
 */
export async function packCharts(root: string, folder: string, version: string): Promise<string[]> {
  const manifests = globSync('operator/deploy/**/Chart.yaml', { cwd: root });
  const archives: string[] = [];
  for (const manifest of manifests) {
    const chart = parse(readFileSync(path.join(root, manifest), 'utf8')) as { name: string; version: string };
    if (chart.version !== version) throw new Error(`${manifest} is of version ${chart.version}, not ${version}`);
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${chart.name}-${version}.tgz`);
    const cwd = path.join(root, path.dirname(manifest));
    const options = { file, cwd, prefix: chart.name, gzip: true, portable: true, follow: true, mtime: new Date(0) };
    await create(options, [...filesBelow(cwd), ...linkedFiles(cwd)]);
    archives.push(file);
  }
  return archives;
}

/** Lists the files behind the links of a chart, which `filesBelow` leaves out: the kinds are in Git once. */
function linkedFiles(chart: string): string[] {
  const links = readdirSync(chart, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  return links.flatMap(({ name }) => filesBelow(path.join(chart, name)).map((file) => `${name}/${file}`));
}
