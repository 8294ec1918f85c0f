/** How often the parent is looked for, in milliseconds. */
const interval = 1000;

/** Tells when the process that started this one is gone, as a plugin that nobody ends would stay for ever. */
export function watchParent(onGone: () => void, parent: () => number = () => process.ppid): void {
  const first = parent();
  const timer = setInterval(() => {
    if (parent() === first) return;
    clearInterval(timer);
    onGone();
  }, interval);
  timer.unref();
}
