import { Definitions, RolecallProvider, Team, TimedAccess } from '@rolecall/cdktf';
import { App, TerraformStack, TerraformVariable } from 'cdktf';
import type { Construct } from 'constructs';

class AccessStack extends TerraformStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    // The workspace and the API key come from ROLECALL_URL, ROLECALL_KEY_ID and ROLECALL_KEY_SECRET.
    new RolecallProvider(this, 'rolecall');

    // From TF_VAR_billing_password. Ephemeral: it is in no plan and no state.
    const password = new TerraformVariable(this, 'billing_password', { type: 'string', sensitive: true });
    password.addOverride('ephemeral', true);

    // Everything that the files in access/ declare, a resource each. A new password takes a new version.
    const definitions = new Definitions(this, 'definitions', {
      paths: ['access'],
      passwords: { billing: { value: password.stringValue, version: 1 } },
    });

    // A team with someone new and someone from the files.
    const team = new Team(this, 'billing-support', {
      people: { mary: { name: 'Mary Jackson', email: 'mary@example.com' } },
      members: [definitions.person('grace')],
      dataSources: [definitions.dataSource('billing')],
    });

    // From the first apply on, for eight hours.
    new TimedAccess(this, 'incident-4711', {
      person: team.person('mary'),
      dataSource: definitions.dataSource('reports'),
      duration: '8h',
    });
  }
}

const app = new App();
new AccessStack(app, 'access');
app.synth();
