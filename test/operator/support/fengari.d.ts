/** The part of Fengari (Lua 5.3) that tests use; it brings no types. */
declare module 'fengari' {
  export type State = unique symbol;
  interface Fengari {
    readonly to_luastring: (text: string) => Uint8Array;
    readonly lua: {
      readonly lua_tojsstring: (state: State, index: number) => string | null;
      readonly lua_close: (state: State) => void;
    };
    readonly lauxlib: {
      readonly luaL_newstate: () => State;
      /** @returns whether it failed; then its message is on the stack */
      readonly luaL_dostring: (state: State, code: Uint8Array) => boolean;
    };
    readonly lualib: { readonly luaL_openlibs: (state: State) => void };
  }
  const fengari: Fengari;
  export default fengari;
}
