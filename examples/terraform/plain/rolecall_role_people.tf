resource "rolecall_role" "auditors" {
  name = "auditors"
}

# Exactly these people: Terraform removes everyone else from the role, and the plan says who.
resource "rolecall_role_people" "auditors" {
  role_id    = rolecall_role.auditors.id
  person_ids = [rolecall_person.grace.id]
}
