/** Watches every kind. A process that waits to lead does so too, and is ready at once. */

import type { KindName } from '@rolecall/crds';
import type { Caches } from './handover.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { allKinds, type CustomObject, kindPath, projectionOf } from './resources/custom-object.ts';
import { NamespaceQuota } from './resources/namespace-quota.ts';
import { Cache, type CacheChange } from './runtime/cache.ts';
import type { Clock } from './runtime/clock.ts';
import { runReflector } from './runtime/reflector.ts';
import type { KubeSession } from './runtime/session.ts';

export type Changed = (change: CacheChange<CustomObject>) => void;

/** All kinds as they are kept here. */
export interface Followed {
  readonly caches: Caches;
  /** Resolves once everything has been listed. */
  readonly listed: Promise<unknown>;
  /** Says in words how much a crowded namespace may have of what it has too much of; undefined for any other. */
  readonly excess: (namespace: string) => string | undefined;
  /** Lists the namespaces that have too much of something, the rest of which is left out. */
  readonly crowdedNamespaces: () => ReadonlySet<string>;
  /** Lists a kind again if it had left objects out and there may be room for them now. */
  readonly listAgainWhereDue: () => void;
}

export interface FollowOptions {
  readonly session: KubeSession;
  readonly clock: Clock;
  /** Follows one namespace only; absent: all of them. */
  readonly namespace?: string | undefined;
  readonly metrics?: Pick<OperatorMetrics, 'changed'> | undefined;
  /** The most objects of one namespace that are kept, besides its Workspaces; a large one counts as several. */
  readonly maxObjects?: number | undefined;
  /** Called once everything has been listed. */
  readonly onListed?: () => void;
}

const defaultMaxObjects = 50_000;

/** The most Workspaces of a namespace: each has connections, plans and a queue of its own. */
const maxWorkspaces = 100;

export function follow(
  options: FollowOptions,
  changed: Changed,
  onError: (error: Error) => void,
  signal: AbortSignal,
): Followed {
  const { session, clock, namespace, metrics, maxObjects = defaultMaxObjects, onListed } = options;
  const workspaces = new NamespaceQuota(maxWorkspaces, clock);
  const objects = new NamespaceQuota(maxObjects, clock);
  const lists: (() => void)[] = [];
  const start = (kind: KindName): [KindName, Cache<CustomObject>] => {
    const room = (kind === 'Workspace' ? workspaces : objects).openCache();
    const cache = new Cache<CustomObject>((change) => {
      metrics?.changed(change);
      changed(change);
    }, room);
    let listAgain = (): void => undefined;
    lists.push(() => {
      if (room.isListDue) listAgain();
    });
    const onWatch = (again: () => void): void => {
      listAgain = again;
    };
    void runReflector(
      {
        ...{ session, path: kindPath(kind, namespace), project: projectionOf(kind), sink: cache },
        ...{ clock, random: Math.random, onError, onWatch },
      },
      signal,
    );
    return [kind, cache];
  };
  const caches = new Map(allKinds.map(start));
  return {
    caches,
    listed: Promise.all([...caches.values()].map(({ synced }) => synced)).then(() => onListed?.()),
    excess: (name) => {
      if (workspaces.isCrowded(name)) return `${maxWorkspaces} Workspaces`;
      return objects.isCrowded(name) ? `${maxObjects} objects` : undefined;
    },
    crowdedNamespaces: () => workspaces.crowdedNamespaces().union(objects.crowdedNamespaces()),
    listAgainWhereDue: () => {
      for (const listWhereDue of lists) listWhereDue();
    },
  };
}
