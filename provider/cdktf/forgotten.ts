import { TerraformElement } from 'cdktf';
import type { Construct } from 'constructs';

/**
 * Stands in the place of a resource, with its id: where Terraform has the resource in its state, it forgets it without
 * deleting what it stands for. Where it has not, this does nothing.
 */
export class Forgotten extends TerraformElement {
  readonly #type: string;

  /** @param type of the resource, such as `rolecall_person` */
  constructor(scope: Construct, id: string, type: string) {
    super(scope, id);
    this.#type = type;
  }

  override toTerraform(): { removed: readonly object[] } {
    return { removed: [{ from: `${this.#type}.${this.friendlyUniqueId}`, lifecycle: { destroy: false } }] };
  }

  /** CDKTF would drop the block silently, and Terraform would delete what is only to be forgotten. */
  override toHclTerraform(): never {
    throw new Error(`${this.node.path} needs a \`removed\` block, which CDKTF cannot write in HCL. Synthesise JSON.`);
  }
}
