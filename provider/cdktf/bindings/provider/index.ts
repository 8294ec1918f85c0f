// https://registry.terraform.io/providers/rolecall/rolecall/latest/docs
// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';

// Configuration

export interface RolecallProviderConfig {
  /**
  * Where the workspace is, such as `https://workspace.example.com`. Default: `ROLECALL_URL`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#url RolecallProvider#url}
  */
  readonly url?: string;
  /**
  * The id of the API key. Default: `ROLECALL_KEY_ID`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#key_id RolecallProvider#key_id}
  */
  readonly keyId?: string;
  /**
  * The secret of the API key. Default: `ROLECALL_KEY_SECRET`, which keeps it out of the configuration.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#key_secret RolecallProvider#key_secret}
  */
  readonly keySecret?: string;
  /**
  * A file of certificates in PEM that are trusted instead of the system's. Default: `ROLECALL_CA_FILE`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#ca_file RolecallProvider#ca_file}
  */
  readonly caFile?: string;
  /**
  * Whether objects that exist already are taken over on create, with a warning. Resources can say otherwise. Default: `true`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#adopt RolecallProvider#adopt}
  */
  readonly adopt?: boolean | cdktf.IResolvable;
  /**
  * The largest share of a collection that one plan may remove, in percent. For one command, `ROLECALL_MAX_REMOVAL_PERCENT` overrides it. Default: 25.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#max_removal_percent RolecallProvider#max_removal_percent}
  */
  readonly maxRemovalPercent?: number;
  /**
  * Whether a `rolecall_role_people` or `rolecall_role_data_sources` that is created may remove members whom others put into the role. For one command, `ROLECALL_ALLOW_FIRST_REMOVAL=true` allows it. Default: `false`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#allow_first_removal RolecallProvider#allow_first_removal}
  */
  readonly allowFirstRemoval?: boolean | cdktf.IResolvable;
  /**
  * How the workspace names this configuration to other managers of the same objects: 1 to 90 visible ASCII characters without a semicolon. Default: `default`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#manager RolecallProvider#manager}
  */
  readonly manager?: string;
  /**
  * Collections smaller than this are not held to that share. Default: 10.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#minimum_collection RolecallProvider#minimum_collection}
  */
  readonly minimumCollection?: number;
  /**
  * Alias name
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#alias RolecallProvider#alias}
  */
  readonly alias?: string;
}

/**
* Represents a {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs rolecall}
*/
export class RolecallProvider extends cdktf.TerraformProvider {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "rolecall";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a RolecallProvider resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the RolecallProvider to import
  * @param importFromId The id of the existing RolecallProvider that should be imported. Refer to the {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs#import import section} in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the RolecallProvider to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "rolecall", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs rolecall} Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options RolecallProviderConfig = {}
  */
  public constructor(scope: Construct, id: string, config: RolecallProviderConfig = {}) {
    super(scope, id, {
      terraformResourceType: 'rolecall',
      terraformGeneratorMetadata: {
        providerName: 'rolecall',
        providerVersionConstraint: '~> 0.1.0'
      },
      terraformProviderSource: 'rolecall/rolecall'
    });
    this._url = config.url;
    this._keyId = config.keyId;
    this._keySecret = config.keySecret;
    this._caFile = config.caFile;
    this._adopt = config.adopt;
    this._maxRemovalPercent = config.maxRemovalPercent;
    this._allowFirstRemoval = config.allowFirstRemoval;
    this._manager = config.manager;
    this._minimumCollection = config.minimumCollection;
    this._alias = config.alias;
  }

  // ==========
  // ATTRIBUTES
  // ==========

  // url - computed: false, optional: true, required: false
  private _url?: string; 
  public get url() {
    return this._url;
  }
  public set url(value: string | undefined) {
    this._url = value;
  }
  public resetUrl() {
    this._url = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get urlInput() {
    return this._url;
  }

  // key_id - computed: false, optional: true, required: false
  private _keyId?: string; 
  public get keyId() {
    return this._keyId;
  }
  public set keyId(value: string | undefined) {
    this._keyId = value;
  }
  public resetKeyId() {
    this._keyId = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get keyIdInput() {
    return this._keyId;
  }

  // key_secret - computed: false, optional: true, required: false
  private _keySecret?: string; 
  public get keySecret() {
    return this._keySecret;
  }
  public set keySecret(value: string | undefined) {
    this._keySecret = value;
  }
  public resetKeySecret() {
    this._keySecret = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get keySecretInput() {
    return this._keySecret;
  }

  // ca_file - computed: false, optional: true, required: false
  private _caFile?: string; 
  public get caFile() {
    return this._caFile;
  }
  public set caFile(value: string | undefined) {
    this._caFile = value;
  }
  public resetCaFile() {
    this._caFile = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get caFileInput() {
    return this._caFile;
  }

  // adopt - computed: false, optional: true, required: false
  private _adopt?: boolean | cdktf.IResolvable; 
  public get adopt() {
    return this._adopt;
  }
  public set adopt(value: boolean | cdktf.IResolvable | undefined) {
    this._adopt = value;
  }
  public resetAdopt() {
    this._adopt = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get adoptInput() {
    return this._adopt;
  }

  // max_removal_percent - computed: false, optional: true, required: false
  private _maxRemovalPercent?: number; 
  public get maxRemovalPercent() {
    return this._maxRemovalPercent;
  }
  public set maxRemovalPercent(value: number | undefined) {
    this._maxRemovalPercent = value;
  }
  public resetMaxRemovalPercent() {
    this._maxRemovalPercent = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get maxRemovalPercentInput() {
    return this._maxRemovalPercent;
  }

  // allow_first_removal - computed: false, optional: true, required: false
  private _allowFirstRemoval?: boolean | cdktf.IResolvable; 
  public get allowFirstRemoval() {
    return this._allowFirstRemoval;
  }
  public set allowFirstRemoval(value: boolean | cdktf.IResolvable | undefined) {
    this._allowFirstRemoval = value;
  }
  public resetAllowFirstRemoval() {
    this._allowFirstRemoval = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get allowFirstRemovalInput() {
    return this._allowFirstRemoval;
  }

  // manager - computed: false, optional: true, required: false
  private _manager?: string; 
  public get manager() {
    return this._manager;
  }
  public set manager(value: string | undefined) {
    this._manager = value;
  }
  public resetManager() {
    this._manager = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get managerInput() {
    return this._manager;
  }

  // minimum_collection - computed: false, optional: true, required: false
  private _minimumCollection?: number; 
  public get minimumCollection() {
    return this._minimumCollection;
  }
  public set minimumCollection(value: number | undefined) {
    this._minimumCollection = value;
  }
  public resetMinimumCollection() {
    this._minimumCollection = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get minimumCollectionInput() {
    return this._minimumCollection;
  }

  // alias - computed: false, optional: true, required: false
  private _alias?: string; 
  public get alias() {
    return this._alias;
  }
  public set alias(value: string | undefined) {
    this._alias = value;
  }
  public resetAlias() {
    this._alias = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get aliasInput() {
    return this._alias;
  }

  // =========
  // SYNTHESIS
  // =========

  protected synthesizeAttributes(): { [name: string]: any } {
    return {
      url: cdktf.stringToTerraform(this._url),
      key_id: cdktf.stringToTerraform(this._keyId),
      key_secret: cdktf.stringToTerraform(this._keySecret),
      ca_file: cdktf.stringToTerraform(this._caFile),
      adopt: cdktf.booleanToTerraform(this._adopt),
      max_removal_percent: cdktf.numberToTerraform(this._maxRemovalPercent),
      allow_first_removal: cdktf.booleanToTerraform(this._allowFirstRemoval),
      manager: cdktf.stringToTerraform(this._manager),
      minimum_collection: cdktf.numberToTerraform(this._minimumCollection),
      alias: cdktf.stringToTerraform(this._alias),
    };
  }

  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      url: {
        value: cdktf.stringToHclTerraform(this._url),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      key_id: {
        value: cdktf.stringToHclTerraform(this._keyId),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      key_secret: {
        value: cdktf.stringToHclTerraform(this._keySecret),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      ca_file: {
        value: cdktf.stringToHclTerraform(this._caFile),
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
      max_removal_percent: {
        value: cdktf.numberToHclTerraform(this._maxRemovalPercent),
        isBlock: false,
        type: "simple",
        storageClassType: "number",
      },
      allow_first_removal: {
        value: cdktf.booleanToHclTerraform(this._allowFirstRemoval),
        isBlock: false,
        type: "simple",
        storageClassType: "boolean",
      },
      manager: {
        value: cdktf.stringToHclTerraform(this._manager),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      minimum_collection: {
        value: cdktf.numberToHclTerraform(this._minimumCollection),
        isBlock: false,
        type: "simple",
        storageClassType: "number",
      },
      alias: {
        value: cdktf.stringToHclTerraform(this._alias),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
    };

    // remove undefined attributes
    return Object.fromEntries(Object.entries(attrs).filter(([_, value]) => value !== undefined && value.value !== undefined ))
  }
}
