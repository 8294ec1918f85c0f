import fengari from 'fengari';

const { lauxlib, lua, lualib, to_luastring: bytes } = fengari;

/** What Argo CD would show. */
export interface Health {
  readonly status: string;
  readonly message: string;
}

/**
 * Runs a health check as Argo CD does: with the object as `obj`, and the table that it returns.
 *
 * @throws what Lua said, when it failed
 */
export function argoHealth(script: string, object: unknown): Health {
  const state = lauxlib.luaL_newstate();
  try {
    lualib.luaL_openlibs(state);
    const code = `local obj = ${literal(object)}
local health = (function() ${script}
end)()
return health.status .. "\\n" .. health.message`;
    const failed = lauxlib.luaL_dostring(state, bytes(code));
    const said = lua.lua_tojsstring(state, -1) ?? '';
    if (failed) throw new Error(said);
    const [status = '', ...message] = said.split('\n');
    return { status, message: message.join('\n') };
  } finally {
    lua.lua_close(state);
  }
}

/** JSON as Lua writes it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `{${value.map(literal).join(', ')}}`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, one]) => `[${text(key)}] = ${literal(one)}`)
      .join(', ')}}`;
  }
  return typeof value === 'string' ? text(value) : JSON.stringify(value);
}

/** Every byte by its number: nothing in it means anything to Lua. */
function text(value: string): string {
  return `"${[...Buffer.from(value)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
}
