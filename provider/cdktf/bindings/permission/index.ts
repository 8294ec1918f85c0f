// https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission
// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';

// Configuration

export interface PermissionConfig extends cdktf.TerraformMetaArguments {
  /**
  * The identifier of the person.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission#person_id Permission#person_id}
  */
  readonly personId: string;
  /**
  * The identifier of the data source.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission#data_source_id Permission#data_source_id}
  */
  readonly dataSourceId: string;
  /**
  * When access begins (RFC 3339). Default: when it is first granted, which is kept from then on.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission#starts_at Permission#starts_at}
  */
  readonly startsAt?: string;
  /**
  * When access ends (RFC 3339). Either this or `duration`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission#expires_at Permission#expires_at}
  */
  readonly expiresAt?: string;
  /**
  * How long access lasts, such as `8h`, `1h30m`, `7d` or whole seconds, counted from `starts_at`: by default from the first grant, also when it is granted again because it was revoked in the workspace. Either this or `expires_at`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission#duration Permission#duration}
  */
  readonly duration?: string;
  /**
  * Whether a permission that exists already is taken over on create. `false` makes that an error. Default: the provider's `adopt`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission#adopt Permission#adopt}
  */
  readonly adopt?: boolean | cdktf.IResolvable;
}

/**
* Represents a {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission rolecall_permission}
*/
export class Permission extends cdktf.TerraformResource {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "rolecall_permission";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a Permission resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the Permission to import
  * @param importFromId The id of the existing Permission that should be imported. Refer to the {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission#import import section} in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the Permission to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "rolecall_permission", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/permission rolecall_permission} Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options PermissionConfig
  */
  public constructor(scope: Construct, id: string, config: PermissionConfig) {
    super(scope, id, {
      terraformResourceType: 'rolecall_permission',
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
    this._personId = config.personId;
    this._dataSourceId = config.dataSourceId;
    this._startsAt = config.startsAt;
    this._expiresAt = config.expiresAt;
    this._duration = config.duration;
    this._adopt = config.adopt;
  }

  // ==========
  // ATTRIBUTES
  // ==========

  // id - computed: true, optional: false, required: false
  public get id() {
    return this.getStringAttribute('id');
  }

  // person_id - computed: false, optional: false, required: true
  private _personId?: string; 
  public get personId() {
    return this.getStringAttribute('person_id');
  }
  public set personId(value: string) {
    this._personId = value;
  }
  // Temporarily expose input value. Use with caution.
  public get personIdInput() {
    return this._personId;
  }

  // data_source_id - computed: false, optional: false, required: true
  private _dataSourceId?: string; 
  public get dataSourceId() {
    return this.getStringAttribute('data_source_id');
  }
  public set dataSourceId(value: string) {
    this._dataSourceId = value;
  }
  // Temporarily expose input value. Use with caution.
  public get dataSourceIdInput() {
    return this._dataSourceId;
  }

  // starts_at - computed: true, optional: true, required: false
  private _startsAt?: string; 
  public get startsAt() {
    return this.getStringAttribute('starts_at');
  }
  public set startsAt(value: string) {
    this._startsAt = value;
  }
  public resetStartsAt() {
    this._startsAt = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get startsAtInput() {
    return this._startsAt;
  }

  // expires_at - computed: true, optional: true, required: false
  private _expiresAt?: string; 
  public get expiresAt() {
    return this.getStringAttribute('expires_at');
  }
  public set expiresAt(value: string) {
    this._expiresAt = value;
  }
  public resetExpiresAt() {
    this._expiresAt = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get expiresAtInput() {
    return this._expiresAt;
  }

  // duration - computed: false, optional: true, required: false
  private _duration?: string; 
  public get duration() {
    return this.getStringAttribute('duration');
  }
  public set duration(value: string) {
    this._duration = value;
  }
  public resetDuration() {
    this._duration = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get durationInput() {
    return this._duration;
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
      person_id: cdktf.stringToTerraform(this._personId),
      data_source_id: cdktf.stringToTerraform(this._dataSourceId),
      starts_at: cdktf.stringToTerraform(this._startsAt),
      expires_at: cdktf.stringToTerraform(this._expiresAt),
      duration: cdktf.stringToTerraform(this._duration),
      adopt: cdktf.booleanToTerraform(this._adopt),
    };
  }

  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      person_id: {
        value: cdktf.stringToHclTerraform(this._personId),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      data_source_id: {
        value: cdktf.stringToHclTerraform(this._dataSourceId),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      starts_at: {
        value: cdktf.stringToHclTerraform(this._startsAt),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      expires_at: {
        value: cdktf.stringToHclTerraform(this._expiresAt),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      duration: {
        value: cdktf.stringToHclTerraform(this._duration),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
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
