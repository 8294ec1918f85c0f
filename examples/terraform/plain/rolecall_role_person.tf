# Ada is in the role; who else is in it, is left alone.
resource "rolecall_role_person" "ada" {
  role_id   = rolecall_role.analysts.id
  person_id = rolecall_person.ada.id
}
