import { type Diagnostic, warning } from '../../plugin/framework/diagnostics.ts';
import type { Applied, Private, Resource } from '../../plugin/framework/resource.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/**
 * Has a resource remember which store its object is in, and where that was. The identifiers of one store mean nothing in another: an
 * object that is not there has not been deleted if the provider was led elsewhere, and the plan says so.
 */
export function boundToStore(resource: Resource<Workspace>): Resource<Workspace> {
  return {
    ...resource,
    create: async (request, context) =>
      bind(await resource.create(request, context), request.private, context.workspace),
    read: async (object, context) => {
      const { workspace, report } = context;
      const read = await resource.read(object, context);
      if (isElsewhere(object.private, workspace)) {
        const tell = (): void => {
          report(elsewhere(object.private, workspace));
        };
        if (read.state === null) workspace.tellOnce(tell);
        return read;
      }
      return read.state === null ? read : bind(read, object.private, workspace);
    },
    update: async (request, context) =>
      bind(await resource.update(request, context), request.private, context.workspace),
    import: async (request, context) => bind(await resource.import(request, context), {}, context.workspace),
  };
}

/** @param memory what the resource remembered, which stays where the verb gives nothing else */
function bind(applied: Applied, memory: Private, workspace: Workspace): Applied {
  const [store, url] = [workspace.store(), workspace.url];
  return store === undefined ? applied : { ...applied, private: { ...(applied.private ?? memory), store, url } };
}

const isElsewhere = ({ store }: Private, workspace: Workspace): boolean =>
  store !== undefined && workspace.store() !== undefined && store !== workspace.store();

function elsewhere({ store = '', url = '' }: Private, workspace: Workspace): Diagnostic {
  const here =
    url === workspace.url
      ? `the service at that address has another store by now (${workspace.store() ?? ''})`
      : `the provider's url, ${workspace.url}, leads to another one (store ${workspace.store() ?? ''})`;
  return warning(
    'The state belongs to another workspace',
    `The state has objects of the workspace at ${url} (store ${store}), and ${here}, which does not have them. Terraform calls them deleted, though nothing of theirs is touched where they are. An apply forgets them, takes over what the other workspace has by their names, and makes the rest anew. If that is not meant, correct the provider's url before you apply.`,
  );
}
