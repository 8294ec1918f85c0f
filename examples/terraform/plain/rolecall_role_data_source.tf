resource "rolecall_role_data_source" "billing" {
  role_id        = rolecall_role.analysts.id
  data_source_id = rolecall_data_source.billing.id
}
