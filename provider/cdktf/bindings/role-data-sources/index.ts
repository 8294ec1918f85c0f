// https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_data_sources
// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';

// Configuration

export interface RoleDataSourcesConfig extends cdktf.TerraformMetaArguments {
  /**
  * The identifier of the role.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_data_sources#role_id RoleDataSources#role_id}
  */
  readonly roleId: string;
  /**
  * The identifiers of the data sources; `[]` for none.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_data_sources#data_source_ids RoleDataSources#data_source_ids}
  */
  readonly dataSourceIds: string[];
}

/**
* Represents a {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_data_sources rolecall_role_data_sources}
*/
export class RoleDataSources extends cdktf.TerraformResource {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "rolecall_role_data_sources";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a RoleDataSources resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the RoleDataSources to import
  * @param importFromId The id of the existing RoleDataSources that should be imported. Refer to the {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_data_sources#import import section} in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the RoleDataSources to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "rolecall_role_data_sources", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/role_data_sources rolecall_role_data_sources} Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options RoleDataSourcesConfig
  */
  public constructor(scope: Construct, id: string, config: RoleDataSourcesConfig) {
    super(scope, id, {
      terraformResourceType: 'rolecall_role_data_sources',
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
    this._dataSourceIds = config.dataSourceIds;
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

  // data_source_ids - computed: false, optional: false, required: true
  private _dataSourceIds?: string[]; 
  public get dataSourceIds() {
    return cdktf.Fn.tolist(this.getListAttribute('data_source_ids'));
  }
  public set dataSourceIds(value: string[]) {
    this._dataSourceIds = value;
  }
  // Temporarily expose input value. Use with caution.
  public get dataSourceIdsInput() {
    return this._dataSourceIds;
  }

  // =========
  // SYNTHESIS
  // =========

  protected synthesizeAttributes(): { [name: string]: any } {
    return {
      role_id: cdktf.stringToTerraform(this._roleId),
      data_source_ids: cdktf.listMapper(cdktf.stringToTerraform, false)(this._dataSourceIds),
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
      data_source_ids: {
        value: cdktf.listMapperHcl(cdktf.stringToHclTerraform, false)(this._dataSourceIds),
        isBlock: false,
        type: "set",
        storageClassType: "stringList",
      },
    };

    // remove undefined attributes
    return Object.fromEntries(Object.entries(attrs).filter(([_, value]) => value !== undefined && value.value !== undefined ))
  }
}
