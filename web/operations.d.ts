/** Method and path of each operation of the person's API; the build makes it of the route table, without its schemas. */
declare module 'virtual:operations' {
  export const operations: Readonly<Record<string, readonly [method: string, path: string]>>;
}

/** The address of the style sheet of the views. */
declare module 'virtual:styles' {
  export const viewStyle: string;
}
