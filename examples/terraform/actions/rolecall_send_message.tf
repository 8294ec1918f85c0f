# terraform apply -invoke=action.rolecall_send_message.maintenance
action "rolecall_send_message" "maintenance" {
  config {
    data_source_id = rolecall_data_source.billing.id
    title          = "Maintenance tonight"
    message        = "Billing is read-only from 22:00 UTC."
  }
}
