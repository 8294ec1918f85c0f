import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOperator } from './bundle-operator.ts';
import { buildEditions } from './cdktf/build.ts';
import { bundleProvider } from './provider/bundle-provider.ts';

/**
 * Builds every package to its `dist`, JavaScript with declarations, in the order in which they import each other. Each
 * reads the declarations of the ones before, as a user who installs them would.
 */
const root = join(import.meta.dirname, '..');
const packages = ['api', 'crds', 'reconcile', 'server', 'provider', 'operator', 'cli'];

for (const name of packages) {
  rmSync(join(root, name, 'dist'), { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, name, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

await bundleOperator(join(root, 'cli/dist/commands/operator/operator.js'));

/** The page that the service serves. */
await import('./build-web.ts');
cpSync(join(root, 'web/dist'), join(root, 'server/dist/web/dist'), { recursive: true });

/** The parts of the report's page. */
for (const name of ['page.html', 'page.css', 'page.js']) {
  cpSync(join(root, 'cli/commands/report/page', name), join(root, 'cli/dist/commands/report/page', name));
}

/** Files that the command line writes and shows, so that it works without the repository. */
for (const name of ['acme', 'ci', 'starter']) {
  cpSync(join(root, 'examples', name), join(root, 'cli/dist/examples', name), { recursive: true });
}

/** The provider, which `rolecall terraform install` puts where Terraform looks for it. */
await bundleProvider(join(root, 'cli/dist/terraform/provider.cjs'));
await buildEditions();
