resource "rolecall_role_data_sources" "auditors" {
  role_id         = rolecall_role.auditors.id
  data_source_ids = [rolecall_data_source.billing.id]
}
