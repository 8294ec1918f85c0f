/** The password of a data source. */
export interface Password {
  /** A token, such as the value of a sensitive variable: as plain text it would stand in the configuration. */
  readonly value: string;
  /** Any number. When it changes, the password is sent again. */
  readonly version: number;
}
