import { useEffect } from 'preact/hooks';

const everyMs = 5000;

/** Reads again every few seconds, while the page is looked at. */
export function usePolled(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, []);
}
