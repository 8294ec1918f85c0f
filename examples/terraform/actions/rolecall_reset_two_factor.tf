# terraform apply -invoke=action.rolecall_reset_two_factor.ada
action "rolecall_reset_two_factor" "ada" {
  config {
    person_id = rolecall_person.ada.id
  }
}
