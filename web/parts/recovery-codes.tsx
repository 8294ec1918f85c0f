/** New recovery codes. They are shown this once. */
export function RecoveryCodes({ codes, done }: { readonly codes: readonly string[]; readonly done: () => void }) {
  return (
    <>
      <p>Each of them works once, in place of a second factor that you have lost. They are shown only now.</p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <button class="main" type="button" onClick={done}>
        I have kept them
      </button>
    </>
  );
}
