/** Names of the provider's releases. */
export { version } from './version.ts';

/** Terraform's name for this machine: `linux_amd64`. */
export function platformName(): string {
  const systems: Readonly<Record<string, string>> = { win32: 'windows' };
  const processors: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
  return `${systems[process.platform] ?? process.platform}_${processors[process.arch] ?? process.arch}`;
}
