/** A configuration of every resource, in one state and in another, each change of which takes calls of its own. */
export function everything(state: 'first' | 'second'): string {
  const is = (first: string, second: string): string => (state === 'first' ? first : second);
  return `
resource "rolecall_data_source" "billing" {
  name                = "${is('Billing', 'Billing (production)')}"
  alias               = "billing"
  uri                 = "postgresql://reporting@db.internal:5432/billing"
  password_wo         = "s3cret"
  password_wo_version = 1
}
resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
  locked   = ${is('true', 'false')}
}
resource "rolecall_person" "grace" {
  username = "grace"
  name     = "Grace Hopper"
  email    = "${is('grace', 'hopper')}@example.com"
}
resource "rolecall_role" "analysts" {
  name = "${is('analysts', 'researchers')}"
}
resource "rolecall_role_person" "ada" {
  role_id   = rolecall_role.analysts.id
  person_id = rolecall_person.ada.id
}
resource "rolecall_role_data_sources" "analysts" {
  role_id         = rolecall_role.analysts.id
  data_source_ids = [rolecall_data_source.billing.id]
}
resource "rolecall_permission" "ada" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.billing.id
  starts_at      = "2026-01-01T00:00:00Z"
  expires_at     = "${is('2046', '2047')}-01-01T00:00:00Z"
}
resource "rolecall_snippet" "top" {
  name          = "Top"
  text          = "${is('select 1', 'select 2')}"
  owner_role_id = rolecall_role.analysts.id
  locked        = ${is('false', 'true')}
}
`;
}
