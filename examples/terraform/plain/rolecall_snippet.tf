resource "rolecall_snippet" "top_customers" {
  name                = "Top customers"
  description         = "Revenue by customer, this month"
  text                = "select customer, sum(amount) from invoice group by customer"
  owner_role_id       = rolecall_role.analysts.id
  public_access_level = "read_only"
}
