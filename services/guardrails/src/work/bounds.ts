// Bounds of one call. Above a bound the guard blocks with the bound's rule, with any strategy, because a text must
// neither pass unjudged nor take unlimited time.
export const BOUNDS = {
  /** Code units of all texts of a call, plus TEXT_COST per text. */
  characters: 4_194_304,
  /**
   * Combining marks in a row, because normalizing sorts them in quadratic time. Unicode's stream-safe format allows 30
   * (UAX 15).
   */
  marks: 128,
  hits: 10_000,
  /** Code units of all views of the texts of a call; ordinary text has two or three times its length in views. */
  views: 12_582_912,
  /** Code units of one text for a model: about 16,000 tokens of prose. */
  modelText: 65_536,
  /** Code units of all texts of a stage call for a model. */
  modelTexts: 262_144,
  /** Model calls per stage call, so that a thousand messages do not cause a thousand calls. */
  modelCalls: 64,
  /** Files of one stage call for a model. */
  modelFiles: 16,
  /** Bytes of all files of a stage call for a model. */
  modelFileBytes: 12_582_912,
  /** Requests of one stage call to an endpoint. */
  endpointCalls: 64,
  /** Code units of a part of an answer that is buffered for an endpoint. */
  endpointText: 65_536,
  /** Bytes of one request to an endpoint. An endpoint may have a lower or higher limit. */
  endpointBytes: 1_048_576,
  /** Model calls of all guards of a run in one replica. */
  modelRunCalls: 5_000,
  /** Code units of all texts that the guards of a run send to models from one replica. */
  modelRunTexts: 4_194_304,
} as const;
export type Bound = keyof typeof BOUNDS;

/** Cost of a text in addition to its characters, because a million empty texts take time too. */
const TEXT_COST = 16;

/** Rules of the violations. */
export const BOUND_RULES: Record<Bound, string> = {
  characters: 'too-many-characters',
  marks: 'too-many-marks-in-a-row',
  hits: 'too-many-hits',
  views: 'too-many-views',
  modelText: 'too-long-for-a-model',
  modelTexts: 'too-much-for-a-model',
  modelCalls: 'too-many-model-calls',
  modelFiles: 'too-many-files-for-a-model',
  modelFileBytes: 'too-large-files-for-a-model',
  endpointCalls: 'too-many-endpoint-calls',
  endpointText: 'too-long-for-an-endpoint',
  endpointBytes: 'too-long-for-an-endpoint',
  modelRunCalls: 'too-many-model-calls-of-a-run',
  modelRunTexts: 'too-much-of-a-run-for-a-model',
};

/** Thrown at any depth if a bound is exceeded; `createTask` turns it into a value. */
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

/** Returns the cost of judging these texts, in characters. */
export const sumLengths = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length + TEXT_COST, 0);
