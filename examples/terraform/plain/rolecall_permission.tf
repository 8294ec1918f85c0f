# From the first apply on, for eight hours.
resource "rolecall_permission" "incident" {
  person_id      = rolecall_person.ada.id
  data_source_id = rolecall_data_source.billing.id
  duration       = "8h"
}

resource "rolecall_permission" "contract" {
  person_id      = rolecall_person.grace.id
  data_source_id = rolecall_data_source.billing.id
  starts_at      = "2026-12-01T09:00:00Z"
  expires_at     = "2029-12-31T17:00:00Z"
}
