// https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet
// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';

// Configuration

export interface SnippetConfig extends cdktf.TerraformMetaArguments {
  /**
  * The name, unique within its owner.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#name Snippet#name}
  */
  readonly name: string;
  /**
  * What the snippet is for. Default: empty.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#description Snippet#description}
  */
  readonly description?: string;
  /**
  * The text, usually SQL.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#text Snippet#text}
  */
  readonly text: string;
  /**
  * The identifier of the person who owns it.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#owner_person_id Snippet#owner_person_id}
  */
  readonly ownerPersonId?: string;
  /**
  * The identifier of the role that owns it. Without an owner, nobody does.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#owner_role_id Snippet#owner_role_id}
  */
  readonly ownerRoleId?: string;
  /**
  * What people other than the owner may do with it: `none`, `read_only`, `read_write`, `manage`. Default: `none`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#public_access_level Snippet#public_access_level}
  */
  readonly publicAccessLevel?: string;
  /**
  * Whether only the owner may work with it. Default: `false`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#locked Snippet#locked}
  */
  readonly locked?: boolean | cdktf.IResolvable;
  /**
  * Whether a snippet that exists already is taken over on create. `false` makes that an error. Default: the provider's `adopt`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#adopt Snippet#adopt}
  */
  readonly adopt?: boolean | cdktf.IResolvable;
}

/**
* Represents a {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet rolecall_snippet}
*/
export class Snippet extends cdktf.TerraformResource {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "rolecall_snippet";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a Snippet resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the Snippet to import
  * @param importFromId The id of the existing Snippet that should be imported. Refer to the {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet#import import section} in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the Snippet to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "rolecall_snippet", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/snippet rolecall_snippet} Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options SnippetConfig
  */
  public constructor(scope: Construct, id: string, config: SnippetConfig) {
    super(scope, id, {
      terraformResourceType: 'rolecall_snippet',
      terraformGeneratorMetadata: {
        providerName: 'rolecall',
        providerVersionConstraint: '~> 0.1.0'
      },
      provider: config.provider,
      dependsOn: config.dependsOn,
      count: config.count,
      lifecycle: config.lifecycle,
      provisioners: config.provisioners,
      connection: config.connection,
      forEach: config.forEach
    });
    this._name = config.name;
    this._description = config.description;
    this._text = config.text;
    this._ownerPersonId = config.ownerPersonId;
    this._ownerRoleId = config.ownerRoleId;
    this._publicAccessLevel = config.publicAccessLevel;
    this._locked = config.locked;
    this._adopt = config.adopt;
  }

  // ==========
  // ATTRIBUTES
  // ==========

  // id - computed: true, optional: false, required: false
  public get id() {
    return this.getStringAttribute('id');
  }

  // name - computed: false, optional: false, required: true
  private _name?: string; 
  public get name() {
    return this.getStringAttribute('name');
  }
  public set name(value: string) {
    this._name = value;
  }
  // Temporarily expose input value. Use with caution.
  public get nameInput() {
    return this._name;
  }

  // description - computed: true, optional: true, required: false
  private _description?: string; 
  public get description() {
    return this.getStringAttribute('description');
  }
  public set description(value: string) {
    this._description = value;
  }
  public resetDescription() {
    this._description = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get descriptionInput() {
    return this._description;
  }

  // text - computed: false, optional: false, required: true
  private _text?: string; 
  public get text() {
    return this.getStringAttribute('text');
  }
  public set text(value: string) {
    this._text = value;
  }
  // Temporarily expose input value. Use with caution.
  public get textInput() {
    return this._text;
  }

  // owner_person_id - computed: false, optional: true, required: false
  private _ownerPersonId?: string; 
  public get ownerPersonId() {
    return this.getStringAttribute('owner_person_id');
  }
  public set ownerPersonId(value: string) {
    this._ownerPersonId = value;
  }
  public resetOwnerPersonId() {
    this._ownerPersonId = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get ownerPersonIdInput() {
    return this._ownerPersonId;
  }

  // owner_role_id - computed: false, optional: true, required: false
  private _ownerRoleId?: string; 
  public get ownerRoleId() {
    return this.getStringAttribute('owner_role_id');
  }
  public set ownerRoleId(value: string) {
    this._ownerRoleId = value;
  }
  public resetOwnerRoleId() {
    this._ownerRoleId = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get ownerRoleIdInput() {
    return this._ownerRoleId;
  }

  // public_access_level - computed: true, optional: true, required: false
  private _publicAccessLevel?: string; 
  public get publicAccessLevel() {
    return this.getStringAttribute('public_access_level');
  }
  public set publicAccessLevel(value: string) {
    this._publicAccessLevel = value;
  }
  public resetPublicAccessLevel() {
    this._publicAccessLevel = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get publicAccessLevelInput() {
    return this._publicAccessLevel;
  }

  // locked - computed: true, optional: true, required: false
  private _locked?: boolean | cdktf.IResolvable; 
  public get locked() {
    return this.getBooleanAttribute('locked');
  }
  public set locked(value: boolean | cdktf.IResolvable) {
    this._locked = value;
  }
  public resetLocked() {
    this._locked = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get lockedInput() {
    return this._locked;
  }

  // active_version_id - computed: true, optional: false, required: false
  public get activeVersionId() {
    return this.getStringAttribute('active_version_id');
  }

  // adopt - computed: false, optional: true, required: false
  private _adopt?: boolean | cdktf.IResolvable; 
  public get adopt() {
    return this.getBooleanAttribute('adopt');
  }
  public set adopt(value: boolean | cdktf.IResolvable) {
    this._adopt = value;
  }
  public resetAdopt() {
    this._adopt = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get adoptInput() {
    return this._adopt;
  }

  // created_at - computed: true, optional: false, required: false
  public get createdAt() {
    return this.getStringAttribute('created_at');
  }

  // =========
  // SYNTHESIS
  // =========

  protected synthesizeAttributes(): { [name: string]: any } {
    return {
      name: cdktf.stringToTerraform(this._name),
      description: cdktf.stringToTerraform(this._description),
      text: cdktf.stringToTerraform(this._text),
      owner_person_id: cdktf.stringToTerraform(this._ownerPersonId),
      owner_role_id: cdktf.stringToTerraform(this._ownerRoleId),
      public_access_level: cdktf.stringToTerraform(this._publicAccessLevel),
      locked: cdktf.booleanToTerraform(this._locked),
      adopt: cdktf.booleanToTerraform(this._adopt),
    };
  }

  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      name: {
        value: cdktf.stringToHclTerraform(this._name),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      description: {
        value: cdktf.stringToHclTerraform(this._description),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      text: {
        value: cdktf.stringToHclTerraform(this._text),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      owner_person_id: {
        value: cdktf.stringToHclTerraform(this._ownerPersonId),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      owner_role_id: {
        value: cdktf.stringToHclTerraform(this._ownerRoleId),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      public_access_level: {
        value: cdktf.stringToHclTerraform(this._publicAccessLevel),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      locked: {
        value: cdktf.booleanToHclTerraform(this._locked),
        isBlock: false,
        type: "simple",
        storageClassType: "boolean",
      },
      adopt: {
        value: cdktf.booleanToHclTerraform(this._adopt),
        isBlock: false,
        type: "simple",
        storageClassType: "boolean",
      },
    };

    // remove undefined attributes
    return Object.fromEntries(Object.entries(attrs).filter(([_, value]) => value !== undefined && value.value !== undefined ))
  }
}
