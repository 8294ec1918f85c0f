import { cpSync } from 'node:fs';
import path from 'node:path';
import type { TerraformStack } from 'cdktf';
import type { Terraform } from '../../support/terraform.ts';
import type { Loaded } from './edition.ts';

/** Synthesises a stack `access` with the provider as an app does, into the folder of a terraform. */
export function synthesise(
  { rolecall, library }: Loaded,
  terraform: Terraform,
  build: (stack: TerraformStack) => void,
) {
  const outdir = path.join(terraform.folder, 'cdktf.out');
  const app = new library.App({ outdir });
  const stack = new library.TerraformStack(app, 'access');
  new library.LocalBackend(stack, { path: path.join(terraform.folder, 'terraform.tfstate') });
  new rolecall.RolecallProvider(stack, 'rolecall');
  build(stack);
  app.synth();
  cpSync(path.join(outdir, 'stacks/access/cdk.tf.json'), path.join(terraform.folder, 'cdk.tf.json'));
}
