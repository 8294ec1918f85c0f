/** The text for a person who starts the provider by hand. */
export const usage =
  'This program is a Terraform provider: Terraform starts it.\n"rolecall terraform install" puts it where Terraform looks for it.';
