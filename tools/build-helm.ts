/** Builds Helm, which tests render the operator's chart with, where it is not on the path. */
import { buildHelm } from '../test/support/kubernetes/helm.ts';

process.stdout.write(`${await buildHelm((text) => process.stderr.write(`${text}\n`))}\n`);
