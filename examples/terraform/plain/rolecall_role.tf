resource "rolecall_role" "analysts" {
  name = "analysts"
}
