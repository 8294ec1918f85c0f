// https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_people
// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';

// Configuration

export interface RolePeopleConfig extends cdktf.TerraformMetaArguments {
  /**
  * The identifier of the role.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_people#role_id RolePeople#role_id}
  */
  readonly roleId: string;
  /**
  * The identifiers of the people; `[]` for none.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_people#person_ids RolePeople#person_ids}
  */
  readonly personIds: string[];
}

/**
* Represents a {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_people rolecall_role_people}
*/
export class RolePeople extends cdktf.TerraformResource {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "rolecall_role_people";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a RolePeople resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the RolePeople to import
  * @param importFromId The id of the existing RolePeople that should be imported. Refer to the {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_people#import import section} in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the RolePeople to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "rolecall_role_people", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_people rolecall_role_people} Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options RolePeopleConfig
  */
  public constructor(scope: Construct, id: string, config: RolePeopleConfig) {
    super(scope, id, {
      terraformResourceType: 'rolecall_role_people',
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
    this._roleId = config.roleId;
    this._personIds = config.personIds;
  }

  // ==========
  // ATTRIBUTES
  // ==========

  // id - computed: true, optional: false, required: false
  public get id() {
    return this.getStringAttribute('id');
  }

  // role_id - computed: false, optional: false, required: true
  private _roleId?: string; 
  public get roleId() {
    return this.getStringAttribute('role_id');
  }
  public set roleId(value: string) {
    this._roleId = value;
  }
  // Temporarily expose input value. Use with caution.
  public get roleIdInput() {
    return this._roleId;
  }

  // person_ids - computed: false, optional: false, required: true
  private _personIds?: string[]; 
  public get personIds() {
    return cdktf.Fn.tolist(this.getListAttribute('person_ids'));
  }
  public set personIds(value: string[]) {
    this._personIds = value;
  }
  // Temporarily expose input value. Use with caution.
  public get personIdsInput() {
    return this._personIds;
  }

  // =========
  // SYNTHESIS
  // =========

  protected synthesizeAttributes(): { [name: string]: any } {
    return {
      role_id: cdktf.stringToTerraform(this._roleId),
      person_ids: cdktf.listMapper(cdktf.stringToTerraform, false)(this._personIds),
    };
  }

  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      role_id: {
        value: cdktf.stringToHclTerraform(this._roleId),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      person_ids: {
        value: cdktf.listMapperHcl(cdktf.stringToHclTerraform, false)(this._personIds),
        isBlock: false,
        type: "set",
        storageClassType: "stringList",
      },
    };

    // remove undefined attributes
    return Object.fromEntries(Object.entries(attrs).filter(([_, value]) => value !== undefined && value.value !== undefined ))
  }
}
