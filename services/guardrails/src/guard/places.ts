// Places that a guard with the option `on` can judge.
export const PLACES = ['input', 'output', 'toolCall', 'toolResult'] as const;
export type Place = (typeof PLACES)[number];
