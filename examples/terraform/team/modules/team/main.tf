terraform {
  required_providers {
    rolecall = {
      source = "rolecall/rolecall"
    }
  }
}

variable "name" {
  type        = string
  description = "The name of the role."
}

variable "members" {
  type        = map(object({ name = string, email = string }))
  description = "The people of the team, by username."
}

variable "data_sources" {
  type        = map(string)
  description = "Identifiers of the data sources that the team reaches, by alias."
}

variable "timed_access" {
  type        = map(object({ username = string, data_source = string, duration = string }))
  default     = {}
  description = "Access beyond the role's, for a time: by the reason for it."
}

resource "rolecall_person" "member" {
  for_each = var.members
  username = each.key
  name     = each.value.name
  email    = each.value.email
}

resource "rolecall_role" "team" {
  name = var.name
}

resource "rolecall_role_people" "team" {
  role_id    = rolecall_role.team.id
  person_ids = [for person in rolecall_person.member : person.id]
}

resource "rolecall_role_data_sources" "team" {
  role_id         = rolecall_role.team.id
  data_source_ids = values(var.data_sources)
}

resource "rolecall_permission" "timed" {
  for_each       = var.timed_access
  person_id      = rolecall_person.member[each.value.username].id
  data_source_id = var.data_sources[each.value.data_source]
  duration       = each.value.duration
}

output "role_id" {
  value       = rolecall_role.team.id
  description = "The identifier of the team's role."
}
