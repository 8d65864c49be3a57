// The API keys that this process sends to its providers: a provider may quote the key in the message of an error.
import { hideCredentials } from '@millrace/contracts';

const keys = new Set<string>();

export const rememberKey = (key: string): void => void keys.add(key);

/** Replaces each of these keys in the text of a provider. */
export const hideKeys = (text: string): string => hideCredentials(text, [...keys]);
