/** True if folders are read for files of such a name: the endings that kubectl and Argo CD read, in any case. */
export function isDefinitionName(name: string): boolean {
  return /\.(ya?ml|json)$/i.test(name);
}
