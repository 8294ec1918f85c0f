/** The parts of a path of an API server's resources (Kubernetes documentation, "API Concepts", "Resource URIs"). */

const shape = /^\/apis\/([^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/?]+)/;

/**
 * Names the resource that a path is about, as its definition is named: `people.rolecall.dev`.
 *
 * @returns undefined for what Kubernetes itself has under `/api`
 */
export function resourceOf(path: string): string | undefined {
  const [, group, plural] = shape.exec(path) ?? [];
  return group === undefined || plural === undefined ? undefined : `${plural}.${group}`;
}
