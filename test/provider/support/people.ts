/** So many people, as HCL. */
export const people = (count: number) => `resource "rolecall_person" "all" {
  count    = ${count}
  username = "p\${count.index}"
  name     = "Person \${count.index}"
  email    = "p\${count.index}@example.com"
}
`;
