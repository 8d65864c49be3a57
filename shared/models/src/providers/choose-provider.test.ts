import { expect, test } from 'vitest';
import { chooseProvider } from './choose-provider.ts';

const common = { apiKey: 'sk-common', baseUrl: 'http://common/v1' };

test.each([
  [{}, {}],
  [{ apiKey: 'sk-own' }, { ...common, apiKey: 'sk-own' }],
  [{ baseUrl: 'http://own/v1' }, { apiKey: undefined, baseUrl: 'http://own/v1' }],
  [
    { baseUrl: 'http://own/v1', apiKey: 'sk-own' },
    { apiKey: 'sk-own', baseUrl: 'http://own/v1' },
  ],
])('With the own settings %j the provider is %j: the common key reaches no other server', (own, chosen) => {
  expect(chooseProvider({ apiKey: undefined, baseUrl: undefined, ...own }, common)).toEqual(chosen);
});
