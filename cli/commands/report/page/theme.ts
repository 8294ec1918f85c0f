import { byId } from './dom.ts';

type Theme = 'light' | 'dark';

/** The button that turns dark to light and back; until it is used, the system's own setting holds. */
export function startTheme(): void {
  const button = byId('theme', HTMLButtonElement);
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = remembered();
  if (chosen !== undefined) document.documentElement.dataset['theme'] = chosen;
  const current = (): Theme => (document.documentElement.dataset['theme'] as Theme | undefined) ?? fromSystem();
  const fromSystem = (): Theme => (system.matches ? 'dark' : 'light');
  const tell = (): void => {
    const next = current() === 'dark' ? 'light' : 'dark';
    button.setAttribute('aria-label', `Switch to ${next} colours`);
    button.title = `Switch to ${next} colours`;
  };
  button.addEventListener('click', () => {
    const next: Theme = current() === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset['theme'] = next;
    remember(next);
    tell();
  });
  system.addEventListener('change', tell);
  tell();
}

const key = 'rolecall-theme';

/** A page that was opened from a file may have no storage. */
function remembered(): Theme | undefined {
  try {
    const value = localStorage.getItem(key);
    return value === 'dark' || value === 'light' ? value : undefined;
  } catch {
    return undefined;
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // Then it holds as long as the page is open.
  }
}
