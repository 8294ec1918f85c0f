/** A new element with a class, text or children, and attributes. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  content: string | readonly (Node | undefined)[] = [],
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  // Always text, never markup: names come from people.
  if (typeof content === 'string') element.textContent = content;
  else element.append(...content.filter((node) => node !== undefined));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** An element of the page by its id; the page has every element that its script asks for. */
export function byId(id: string): HTMLElement;
export function byId<T extends HTMLElement>(id: string, type: new () => T): T;
export function byId(id: string, type: new () => HTMLElement = HTMLElement): HTMLElement {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`the page has no ${type.name} #${id}`);
}
