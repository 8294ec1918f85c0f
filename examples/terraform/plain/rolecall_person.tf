resource "rolecall_person" "ada" {
  username = "ada"
  name     = "Ada Lovelace"
  email    = "ada@example.com"
}

resource "rolecall_person" "grace" {
  username  = "grace"
  name      = "Grace Hopper"
  email     = "grace@example.com"
  protected = true
}
