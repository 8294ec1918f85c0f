import type { Methods } from '../grpc/server.ts';

/** The services of go-plugin that a plugin answers beside its own (github.com/hashicorp/go-plugin, internal/plugin). */

/** `{ status: SERVING }` of grpc.health.v1. */
const serving = Buffer.of(0x08, 0x01);
const empty = Buffer.alloc(0);

/**
 * @param shutdown ends the process soon: Terraform kills one that does not after two seconds, which every command would
 *   wait for
 */
export function pluginServices(shutdown: () => void): Methods {
  return (path) => {
    switch (path) {
      case '/grpc.health.v1.Health/Check':
        return () => Promise.resolve(serving);
      case '/plugin.GRPCController/Shutdown':
        return () => {
          shutdown();
          return Promise.resolve(empty);
        };
      default:
        return undefined;
    }
  };
}
