# Ada is in the role; who else is in it, is left alone.
resource "rolecall_role_person" "ada" {
  role_id   = rolecall_role.analysts.id
  person_id = rolecall_person.ada.id
}

# Grace only for a week: the workspace begins and ends that by itself.
resource "rolecall_role_person" "grace" {
  role_id    = rolecall_role.analysts.id
  person_id  = rolecall_person.grace.id
  starts_at  = "2029-12-03T09:00:00Z"
  expires_at = "2029-12-10T09:00:00Z"
}
