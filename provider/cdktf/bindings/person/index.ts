// https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person
// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';

// Configuration

export interface PersonConfig extends cdktf.TerraformMetaArguments {
  /**
  * The name that the person signs in with, unique whatever the case.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#username Person#username}
  */
  readonly username: string;
  /**
  * The full name.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#name Person#name}
  */
  readonly name: string;
  /**
  * The e-mail address, unique whatever the case.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#email Person#email}
  */
  readonly email: string;
  /**
  * Whether the person is kept out of the workspace. Default: `false`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#locked Person#locked}
  */
  readonly locked?: boolean | cdktf.IResolvable;
  /**
  * Refuses every plan that deletes the person, by removal or replacement (by `-replace` or taint, too), until it is set to `false` and applied.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#protected Person#protected}
  */
  readonly protected?: boolean | cdktf.IResolvable;
  /**
  * Allows the deletion and new creation that a changed `username`, `name` or `email` takes. What the person has outside of this configuration is lost then; the plan warns of it.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#replace_allowed Person#replace_allowed}
  */
  readonly replaceAllowed?: boolean | cdktf.IResolvable;
  /**
  * Whether a person that exists already is taken over on create. `false` makes that an error. Default: the provider's `adopt`.
  *
  * Docs at Terraform Registry: {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#adopt Person#adopt}
  */
  readonly adopt?: boolean | cdktf.IResolvable;
}

/**
* Represents a {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person rolecall_person}
*/
export class Person extends cdktf.TerraformResource {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "rolecall_person";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a Person resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the Person to import
  * @param importFromId The id of the existing Person that should be imported. Refer to the {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person#import import section} in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the Person to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "rolecall_person", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new {@link https://registry.terraform.io/providers/rolecall/rolecall/latest/docs/resources/person rolecall_person} Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options PersonConfig
  */
  public constructor(scope: Construct, id: string, config: PersonConfig) {
    super(scope, id, {
      terraformResourceType: 'rolecall_person',
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
    this._username = config.username;
    this._name = config.name;
    this._email = config.email;
    this._locked = config.locked;
    this._protected = config.protected;
    this._replaceAllowed = config.replaceAllowed;
    this._adopt = config.adopt;
  }

  // ==========
  // ATTRIBUTES
  // ==========

  // id - computed: true, optional: false, required: false
  public get id() {
    return this.getStringAttribute('id');
  }

  // username - computed: false, optional: false, required: true
  private _username?: string; 
  public get username() {
    return this.getStringAttribute('username');
  }
  public set username(value: string) {
    this._username = value;
  }
  // Temporarily expose input value. Use with caution.
  public get usernameInput() {
    return this._username;
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

  // email - computed: false, optional: false, required: true
  private _email?: string; 
  public get email() {
    return this.getStringAttribute('email');
  }
  public set email(value: string) {
    this._email = value;
  }
  // Temporarily expose input value. Use with caution.
  public get emailInput() {
    return this._email;
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

  // replace_allowed - computed: false, optional: true, required: false
  private _replaceAllowed?: boolean | cdktf.IResolvable; 
  public get replaceAllowed() {
    return this.getBooleanAttribute('replace_allowed');
  }
  public set replaceAllowed(value: boolean | cdktf.IResolvable) {
    this._replaceAllowed = value;
  }
  public resetReplaceAllowed() {
    this._replaceAllowed = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get replaceAllowedInput() {
    return this._replaceAllowed;
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
      username: cdktf.stringToTerraform(this._username),
      name: cdktf.stringToTerraform(this._name),
      email: cdktf.stringToTerraform(this._email),
      locked: cdktf.booleanToTerraform(this._locked),
      protected: cdktf.booleanToTerraform(this._protected),
      replace_allowed: cdktf.booleanToTerraform(this._replaceAllowed),
      adopt: cdktf.booleanToTerraform(this._adopt),
    };
  }

  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      username: {
        value: cdktf.stringToHclTerraform(this._username),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      name: {
        value: cdktf.stringToHclTerraform(this._name),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      email: {
        value: cdktf.stringToHclTerraform(this._email),
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
      protected: {
        value: cdktf.booleanToHclTerraform(this._protected),
        isBlock: false,
        type: "simple",
        storageClassType: "boolean",
      },
      replace_allowed: {
        value: cdktf.booleanToHclTerraform(this._replaceAllowed),
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
