import { viewStyle } from 'virtual:styles';

/** Loads the style sheet of the views, which the sign-in does without. @throws Error if it does not come */
export function loadViewStyle(): Promise<void> {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = viewStyle;
  return new Promise((resolve, reject) => {
    link.onload = () => {
      resolve();
    };
    link.onerror = () => {
      link.remove();
      reject(new Error('The style of the page did not come.'));
    };
    document.head.append(link);
  });
}
