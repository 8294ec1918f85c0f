terraform {
  required_version = ">= 1.11"
  required_providers {
    rolecall = {
      source = "rolecall/rolecall"
    }
  }
}

provider "rolecall" {}

locals {
  # The files that rolecall apply reads of the folder and its sub-folders: nothing hidden, and nothing of node_modules.
  files = sort([
    for name in fileset("${path.module}/access", "**") : name
    if can(regex("(?i)\\.(ya?ml|json)$", name)) && !can(regex("(^|/)(\\.|node_modules/)", name))
  ])
  defined = provider::rolecall::definitions(join("\n---\n", [for name in local.files : file("${path.module}/access/${name}")]))
}

resource "rolecall_person" "all" {
  for_each  = local.defined.people
  username  = each.value.username
  name      = each.value.name
  email     = each.value.email
  locked    = each.value.locked
  protected = each.value.protected
}

resource "rolecall_data_source" "all" {
  for_each = local.defined.data_sources
  name     = each.value.name
  alias    = each.value.alias
  uri      = each.value.uri
}

resource "rolecall_role" "all" {
  for_each  = local.defined.roles
  name      = each.value.name
  protected = each.value.protected
}

resource "rolecall_role_people" "all" {
  for_each   = { for name, role in local.defined.roles : name => role if role.people != null }
  role_id    = rolecall_role.all[each.key].id
  person_ids = [for name in each.value.people : rolecall_person.all[name].id]
}

resource "rolecall_role_data_sources" "all" {
  for_each        = { for name, role in local.defined.roles : name => role if role.data_sources != null }
  role_id         = rolecall_role.all[each.key].id
  data_source_ids = [for name in each.value.data_sources : rolecall_data_source.all[name].id]
}

# Of roles that list no members of that kind; those of the others are in the lists.
resource "rolecall_role_person" "all" {
  for_each   = { for name, membership in local.defined.role_memberships : name => membership if membership.person != null }
  role_id    = rolecall_role.all[each.value.role].id
  person_id  = rolecall_person.all[each.value.person].id
  starts_at  = each.value.starts_at
  expires_at = each.value.expires_at
  duration   = each.value.duration
}

resource "rolecall_role_data_source" "all" {
  for_each       = { for name, membership in local.defined.role_memberships : name => membership if membership.data_source != null }
  role_id        = rolecall_role.all[each.value.role].id
  data_source_id = rolecall_data_source.all[each.value.data_source].id
}

resource "rolecall_permission" "all" {
  for_each       = local.defined.permissions
  person_id      = rolecall_person.all[each.value.person].id
  data_source_id = rolecall_data_source.all[each.value.data_source].id
  starts_at      = each.value.starts_at
  expires_at     = each.value.expires_at
  duration       = each.value.duration
}

resource "rolecall_snippet" "all" {
  for_each            = local.defined.snippets
  name                = each.value.name
  description         = each.value.description
  text                = each.value.text
  owner_person_id     = each.value.owner_person == null ? null : rolecall_person.all[each.value.owner_person].id
  owner_role_id       = each.value.owner_role == null ? null : rolecall_role.all[each.value.owner_role].id
  public_access_level = each.value.public_access_level
  locked              = each.value.locked
}
