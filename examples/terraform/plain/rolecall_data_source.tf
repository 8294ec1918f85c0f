variable "billing_password" {
  type      = string
  ephemeral = true
}

resource "rolecall_data_source" "billing" {
  name  = "Billing (production)"
  alias = "billing"
  uri   = "postgresql://reporting@db.internal:5432/billing?sslmode=verify-full"

  # In no plan and no state. A new password takes a new version.
  password_wo         = var.billing_password
  password_wo_version = 1
}
