/** Texts and JSON as every command writes them: without the engine, which takes far longer to load. */

export { printableJson, writePrintableJson } from './json.ts';
export { type Palette, plainPalette } from './palette.ts';
export { visible, visibleLines } from './visible.ts';
