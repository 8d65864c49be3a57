// What one call may ask of a guard. Above a bound the guard cannot judge in its time: it blocks, by the bound's name, whatever
// its strategy. Nothing passes unjudged, and nothing takes for ever.
export const BOUNDS = {
  /** Code units of all texts of a call, and TEXT_COST for each. */
  characters: 4_194_304,
  /** Combining marks in a row: normalizing sorts them, in quadratic time. Unicode's stream-safe format has 30 (UAX 15). */
  marks: 128,
  hits: 10_000,
  /** Code units of all that the texts of a call may be read as: a megabyte of ordinary text has two or three of views. */
  views: 12_582_912,
  /** Code units of one text that a model judges: about 16,000 tokens of prose. */
  modelText: 65_536,
  /** Of all texts of a stage call that a model judges. */
  modelTexts: 262_144,
  /** In one stage call: a caller who sends a thousand messages does not get a thousand calls. */
  modelCalls: 64,
  /** Windows of the answers of a run. */
  modelWindows: 5_000,
} as const;
export type Bound = keyof typeof BOUNDS;

/** What a text costs beside its characters: a million empty ones take time too. */
const TEXT_COST = 16;

/** The rule that a violation names. */
export const BOUND_RULES: Record<Bound, string> = {
  characters: 'too-many-characters',
  marks: 'too-many-marks-in-a-row',
  hits: 'too-many-hits',
  views: 'too-many-views',
  modelText: 'too-long-for-a-model',
  modelTexts: 'too-much-for-a-model',
  modelCalls: 'too-many-model-calls',
  modelWindows: 'too-many-windows-for-a-model',
};

/** Thrown where a bound is met, however deep; `createTask` makes a value of it. */
export class BoundExceeded extends Error {
  readonly bound: Bound;

  constructor(bound: Bound) {
    super(`more than ${BOUNDS[bound]} ${bound}`);
    this.name = 'BoundExceeded';
    this.bound = bound;
  }
}

/** Counts towards one bound. @throws BoundExceeded */
export function createCounter(bound: Bound): (more?: number) => void {
  let count = 0;
  return (more = 1) => {
    count += more;
    if (count > BOUNDS[bound]) throw new BoundExceeded(bound);
  };
}

/** What judging these texts costs, in characters. */
export const costOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length + TEXT_COST, 0);
