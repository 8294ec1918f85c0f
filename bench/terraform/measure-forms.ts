import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/report.ts';
import { runTerraform } from './terraform.ts';

/** The ways to write so many resources. None needs a provider: what differs is Terraform's own. */
const forms = {
  blocks: (objects: number) =>
    Array.from(
      { length: objects },
      (_, index) => `resource "terraform_data" "n${index}" {\n  input = "value ${index}"\n}\n`,
    ).join(''),
  count: (objects: number) =>
    `resource "terraform_data" "n" {\n  count = ${objects}\n  input = "value \${count.index}"\n}\n`,
  forEach: (objects: number) =>
    `resource "terraform_data" "n" {\n  for_each = { for index in range(${objects}) : "n\${index}" => "value \${index}" }\n  input    = each.value\n}\n`,
};

/**
 * No-op plans of so many resources in each form, in turns.
 *
 * @returns medians in seconds
 */
export async function measureForms(
  folder: string,
  objects: number,
  plans: number,
): Promise<Record<keyof typeof forms, number>> {
  const all = Object.entries(forms).map(([form, write]) => {
    const own = join(folder, `form-${form}`);
    mkdirSync(own);
    writeFileSync(join(own, 'main.tf'), write(objects));
    return { form, folder: own, times: [] as number[] };
  });
  for (const each of all) {
    await runTerraform(each.folder, ['init'], {});
    await runTerraform(each.folder, ['apply', '-auto-approve'], {});
  }
  for (let turn = 0; turn < plans; turn += 1) {
    for (const each of all) each.times.push((await runTerraform(each.folder, ['plan'], {})).seconds);
  }
  const [blocks, count, forEach] = all.map(({ times }) => median(times));
  return { blocks: blocks ?? Number.NaN, count: count ?? Number.NaN, forEach: forEach ?? Number.NaN };
}
