// https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source
// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';

// Configuration

export interface DataSourceConfig extends cdktf.TerraformMetaArguments {
  /**
  * The name that people are shown.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#name DataSource#name}
  */
  readonly name: string;
  /**
  * The short name, unique in the workspace.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#alias DataSource#alias}
  */
  readonly alias: string;
  /**
  * The connection URI without a password, such as `postgresql://reporting@db.internal:5432/billing`. Parameters that the workspace adds are no drift.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#uri DataSource#uri}
  */
  readonly uri: string;
  /**
  * The password. Write-only: it is in no plan and no state. Needs `password_wo_version`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#password_wo DataSource#password_wo}
  */
  readonly passwordWo?: string;
  /**
  * Any number. When it changes, `password_wo` is sent again. An error without `password_wo`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#password_wo_version DataSource#password_wo_version}
  */
  readonly passwordWoVersion?: number;
  /**
  * The password, for Terraform before 1.11: it is in the state. Otherwise use `password_wo`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#password DataSource#password}
  */
  readonly password?: string;
  /**
  * Refuses every plan that deletes the data source, by removal or replacement (by `-replace` or taint, too), until it is set to `false` and applied.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#protected DataSource#protected}
  */
  readonly protected?: boolean | cdktf.IResolvable;
  /**
  * Whether a data source that exists already is taken over on create. `false` makes that an error. Default: the provider's `adopt`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#adopt DataSource#adopt}
  */
  readonly adopt?: boolean | cdktf.IResolvable;
}

/**
* Represents a {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source rolecall_data_source}
*/
export class DataSource extends cdktf.TerraformResource {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "rolecall_data_source";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a DataSource resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the DataSource to import
  * @param importFromId The id of the existing DataSource that should be imported. Refer to the {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source#import import section} in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the DataSource to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "rolecall_data_source", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/data_source rolecall_data_source} Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options DataSourceConfig
  */
  public constructor(scope: Construct, id: string, config: DataSourceConfig) {
    super(scope, id, {
      terraformResourceType: 'rolecall_data_source',
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
    this._alias = config.alias;
    this._uri = config.uri;
    this._passwordWo = config.passwordWo;
    this._passwordWoVersion = config.passwordWoVersion;
    this._password = config.password;
    this._protected = config.protected;
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

  // alias - computed: false, optional: false, required: true
  private _alias?: string; 
  public get alias() {
    return this.getStringAttribute('alias');
  }
  public set alias(value: string) {
    this._alias = value;
  }
  // Temporarily expose input value. Use with caution.
  public get aliasInput() {
    return this._alias;
  }

  // uri - computed: false, optional: false, required: true
  private _uri?: string; 
  public get uri() {
    return this.getStringAttribute('uri');
  }
  public set uri(value: string) {
    this._uri = value;
  }
  // Temporarily expose input value. Use with caution.
  public get uriInput() {
    return this._uri;
  }

  // password_wo - computed: false, optional: true, required: false
  private _passwordWo?: string; 
  public get passwordWo() {
    return this.getStringAttribute('password_wo');
  }
  public set passwordWo(value: string) {
    this._passwordWo = value;
  }
  public resetPasswordWo() {
    this._passwordWo = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get passwordWoInput() {
    return this._passwordWo;
  }

  // password_wo_version - computed: false, optional: true, required: false
  private _passwordWoVersion?: number; 
  public get passwordWoVersion() {
    return this.getNumberAttribute('password_wo_version');
  }
  public set passwordWoVersion(value: number) {
    this._passwordWoVersion = value;
  }
  public resetPasswordWoVersion() {
    this._passwordWoVersion = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get passwordWoVersionInput() {
    return this._passwordWoVersion;
  }

  // password - computed: false, optional: true, required: false
  private _password?: string; 
  public get password() {
    return this.getStringAttribute('password');
  }
  public set password(value: string) {
    this._password = value;
  }
  public resetPassword() {
    this._password = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get passwordInput() {
    return this._password;
  }

  // type - computed: true, optional: false, required: false
  public get type() {
    return this.getStringAttribute('type');
  }

  // protected - computed: false, optional: true, required: false
  private _protected?: boolean | cdktf.IResolvable; 
  public get protected() {
    return this.getBooleanAttribute('protected');
  }
  public set protected(value: boolean | cdktf.IResolvable) {
    this._protected = value;
  }
  public resetProtected() {
    this._protected = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get protectedInput() {
    return this._protected;
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

  // updated_at - computed: true, optional: false, required: false
  public get updatedAt() {
    return this.getStringAttribute('updated_at');
  }

  // =========
  // SYNTHESIS
  // =========

  protected synthesizeAttributes(): { [name: string]: any } {
    return {
      name: cdktf.stringToTerraform(this._name),
      alias: cdktf.stringToTerraform(this._alias),
      uri: cdktf.stringToTerraform(this._uri),
      password_wo: cdktf.stringToTerraform(this._passwordWo),
      password_wo_version: cdktf.numberToTerraform(this._passwordWoVersion),
      password: cdktf.stringToTerraform(this._password),
      protected: cdktf.booleanToTerraform(this._protected),
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
      alias: {
        value: cdktf.stringToHclTerraform(this._alias),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      uri: {
        value: cdktf.stringToHclTerraform(this._uri),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      password_wo: {
        value: cdktf.stringToHclTerraform(this._passwordWo),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      password_wo_version: {
        value: cdktf.numberToHclTerraform(this._passwordWoVersion),
        isBlock: false,
        type: "simple",
        storageClassType: "number",
      },
      password: {
        value: cdktf.stringToHclTerraform(this._password),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      protected: {
        value: cdktf.booleanToHclTerraform(this._protected),
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
