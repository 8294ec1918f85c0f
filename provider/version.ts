/** The version of package.json, which the executable does not carry along; a test holds the two together. */
export const version = '0.1.0';
