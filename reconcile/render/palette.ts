/** Paints text for a front end. The renderers only say what a piece of text is; whether that is shown is not their business. */
export interface Palette {
  create: Paint;
  change: Paint;
  remove: Paint;
  replace: Paint;
  strong: Paint;
  dim: Paint;
}

type Paint = (text: string) => string;

const asItIs: Paint = (text) => text;

/** No colour at all. */
export const plainPalette: Palette = {
  create: asItIs,
  change: asItIs,
  remove: asItIs,
  replace: asItIs,
  strong: asItIs,
  dim: asItIs,
};
