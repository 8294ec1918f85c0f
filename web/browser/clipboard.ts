/** Puts a text on the clipboard. @throws Error if the browser does not let the page */
export async function writeToClipboard(text: string): Promise<void> {
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard === undefined) throw new Error('Browsers let pages copy only at addresses that begin with https.');
  await clipboard.writeText(text);
}
