terraform {
  required_version = ">= 1.11"
  required_providers {
    rolecall = {
      source = "rolecall/rolecall"
    }
  }
}

# The workspace and the API key come from ROLECALL_URL, ROLECALL_KEY_ID and ROLECALL_KEY_SECRET.
provider "rolecall" {
  max_removal_percent = 15
}
