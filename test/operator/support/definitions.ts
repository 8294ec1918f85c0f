/** The spec of a person, who is called what a test calls them. */
export const person = (username: string) => ({
  username,
  name: `Person ${username}`,
  email: `${username}@example.com`,
});
