terraform {
  required_version = ">= 1.11"
  required_providers {
    rolecall = {
      source = "rolecall/rolecall"
    }
  }
}

provider "rolecall" {}

resource "rolecall_data_source" "billing" {
  name  = "Billing"
  alias = "billing"
  uri   = "sqlite:///srv/billing.db?mode=ro"
}

module "analysts" {
  source = "./modules/team"

  name         = "analysts"
  data_sources = { billing = rolecall_data_source.billing.id }
  members = {
    ada   = { name = "Ada Lovelace", email = "ada@example.com" }
    grace = { name = "Grace Hopper", email = "grace@example.com" }
  }
  timed_access = {
    incident-4711 = {
      username    = "grace"
      data_source = "billing"
      duration    = "8h"
    }
  }
}
