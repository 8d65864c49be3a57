// What moderation asks a model about. The descriptions are the model's instructions: they say what counts, and what does not.
export const CATEGORIES = {
  hate: 'contempt, dehumanization or calls against people for what they are: origin, skin, religion, sex, disability, orientation',
  harassment: 'insults, humiliation or bullying aimed at a person, the reader included',
  threat: 'a threat to hurt somebody, or a call to do so',
  violence: 'cruelty or injury described for its own sake, or praised',
  sexual: 'sexual acts described to arouse, or sexual services offered',
  'sexual-minors': 'anything sexual about somebody who is or may be under age',
  'self-harm': 'encouragement of self-harm, suicide or starving oneself, or instructions for it',
  illicit: 'instructions or help for a serious crime: weapons, drugs, fraud, break-ins, malware',
  profanity: 'swear words and obscene language, whoever they are aimed at',
} as const;

export type Category = keyof typeof CATEGORIES;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of a constant object
export const CATEGORY_NAMES = Object.keys(CATEGORIES) as [Category, ...Category[]];
/** All but what is a matter of tone. */
export const DEFAULT_CATEGORIES: Category[] = CATEGORY_NAMES.filter((name) => name !== 'profanity');
