// What one stage call may ask of a model. Above it a guard blocks by the bound's name: nothing passes unjudged.
import { BOUNDS, type Bound } from '../guard/bounds.ts';

/** @param texts one for each call */
export function exceededByModel(texts: readonly string[]): Bound | undefined {
  if (texts.length > BOUNDS.modelCalls) return 'modelCalls';
  if (texts.reduce((sum, text) => sum + text.length, 0) > BOUNDS.modelTexts) return 'modelTexts';
  return texts.some((text) => text.length > BOUNDS.modelText) ? 'modelText' : undefined;
}
